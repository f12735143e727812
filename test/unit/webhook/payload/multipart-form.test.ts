import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goJson } from '../../../../src/go/go-value.ts';
import { readMultipart } from '../../../../src/webhook/payload/multipart-form.ts';

const OPTIONS = {
  ...{ maxFieldBytes: 1 << 20, maxFileBytes: 1000 },
  ...{ isJson: () => false, log: () => {} },
};
const NAME = 'Content-Disposition: form-data; name="a"\r\n';
const END = '--BB--\r\n';
const part = (headers: string, content: string) => `--BB\r\n${headers}\r\n${content}\r\n`;

async function* inPieces(body: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

async function read(text: string, pieces = 65_536, options: object = {}): Promise<string> {
  const chunks = inPieces(Buffer.from(text, 'latin1'), pieces);
  const type = 'multipart/form-data; boundary=BB';
  return goJson(await readMultipart(type, chunks, { ...OPTIONS, ...options }));
}

const TOO_LARGE = 'multipart: message too large';
const BUFFER_FULL = 'multipart: NextPart: bufio: buffer full';

test.each([
  ['10,000 headers of a part', part('X: y\r\n'.repeat(9999) + NAME, '1') + END],
  ['a field', part(NAME, '1') + END],
  ['line breaks without carriage returns', `--BB\n${NAME.replace('\r', '')}\n1\n--BB--`],
  ['lines before the first part', `junk\r\n${part(NAME, '1')}${END}after`],
  ['the same field again', part(NAME, '1') + part(NAME, '2') + END],
  ['a header in two lines', part('Content-Disposition: form-data;\r\n name="a"\r\n', '1') + END],
  ['quoted-printable', part(`${NAME}Content-Transfer-Encoding: Quoted-Printable\r\n`, '=\r\n=31 ')],
])('%s, in pieces of any size', async (_, text) => {
  const body = text.includes('--BB--') ? text : text + END;
  for (const pieces of [1, 2, 7, 65_536]) expect(await read(body, pieces)).toBe('{"a":"1"}');
});

test.each([
  ['10,001 headers of a part', part('X: y\r\n'.repeat(10_000) + NAME, '1') + END, TOO_LARGE],
  ['headers in so many lines without an end', `--BB\r\n${'X: y\r\n'.repeat(40_000)}`, TOO_LARGE],
  ['a header that is longer than a form may be', `--BB\r\nX: ${'y'.repeat(2 << 20)}`, TOO_LARGE],
  ['a header in too many lines', `--BB\r\nX: y\r\n${' z\r\n'.repeat(1 << 20)}`, TOO_LARGE],
  ['names that together are longer', part(`${'N'.repeat(2 << 20)}: y\r\n`, '') + END, TOO_LARGE],
  ['a delimiter with blanks without an end', `--BB${' '.repeat(10_000)}`, BUFFER_FULL],
  ['a long line before the first part', `${'j'.repeat(4095)}\r\n${END}`, BUFFER_FULL],
  ['a line that is no header', `--BB\r\nX\r\n`, 'malformed MIME header: missing colon: "X"'],
  ['a first header that goes on', '--BB\r\n X: y\r\n', 'malformed MIME header initial line:  X: y'],
  ['content without an end', part(NAME, '1'), 'unexpected EOF'],
  ['no delimiter at the end', `${part(NAME, '1')}--BB`, 'multipart: NextPart: EOF'],
  [
    'a delimiter with words behind it',
    `${part(NAME, '1')}--BB x\r\n`,
    'multipart: expecting a new Part; got line "--BB x\\r\\n"',
  ],
  [
    'bytes that are not quoted-printable',
    part(`${NAME}Content-Transfer-Encoding: quoted-printable\r\n`, 'a\x01') + END,
    'quotedprintable: invalid unescaped byte 0x01 in body',
  ],
])('%s is refused', async (_, text, message) => {
  await expect(read(text)).rejects.toThrow(message);
  await expect(read(text, 1000)).rejects.toThrow(message);
});

test.each(['--BB\r\n', '--BB\r\nX: y', '--BB\r\nX: y\r\n', '--BB--'])(
  'a body that ends before the content of a part, %j, is an empty form',
  async (text) => expect(await read(text)).toBe('null'),
);

test('fields count with their names and what Go adds for each', async () => {
  const text = part(NAME, 'x'.repeat(1000)) + END;
  await expect(read(text, 100, { maxFieldBytes: 1201 })).resolves.toContain('xxx');
  await expect(read(text, 100, { maxFieldBytes: 1200 })).rejects.toThrow(TOO_LARGE);
});

test('however a body is cut, it is read alike', async () => {
  const piece = fc.constantFrom(
    '--BB',
    '\r\n',
    '--',
    '-',
    '\r',
    'x',
    NAME,
    '\r\n\r\n',
    END,
    'X: y',
  );
  const body = fc.array(piece, { maxLength: 12 }).map((pieces) => `--BB\r\n${pieces.join('')}`);
  const outcome = (text: string, pieces: number) =>
    read(text, pieces).catch((thrown: Error) => thrown.message);
  const same = async (text: string, pieces: number) => {
    expect(await outcome(text, pieces)).toBe(await outcome(text, 65_536));
  };
  await fc.assert(fc.asyncProperty(body, fc.integer({ min: 1, max: 9 }), same), { numRuns: 500 });
});
