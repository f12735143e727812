import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goJson } from '../../../../src/go/go-value.ts';
import { readMultipart } from '../../../../src/webhook/payload/read-multipart.ts';

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

test.each([
  ['a field', part(NAME, '1') + END],
  ['line breaks without carriage returns', `--BB\n${NAME.replace('\r', '')}\n1\n--BB--`],
  ['lines before the first part', `junk\r\n${part(NAME, '1')}${END}after`],
  ['a boundary in a line before the first part', `junk --BB\r\n${part(NAME, '1')}${END}`],
  ['the same field again', part(NAME, '1') + part(NAME, '2') + END],
  ['a part without a name', part('X: y\r\n', '2') + part(NAME, '1') + END],
  ['a part without headers', part('', '2') + part(NAME, '1') + END],
  ['a header in two lines', part('Content-Disposition: form-data;\r\n name="a"\r\n', '1') + END],
  ['a boundary with blanks behind it', `--BB \t\r\n${NAME}\r\n1\r\n--BB--  \r\n`],
  ['an empty filename', part(NAME.replace('\r', '; filename=""\r'), '1') + END],
  ['quoted-printable', part(`${NAME}Content-Transfer-Encoding: Quoted-Printable\r\n`, '=\r\n=31')],
])('%s, in pieces of any size', async (_, text) => {
  const body = text.includes('--BB--') ? text : text + END;
  for (const pieces of [1, 2, 7, 65_536]) expect(await read(body, pieces)).toBe('{"a":"1"}');
});

test.each([
  ['what only begins like a boundary', '--BBx\r\n--B\r\n--BB -\r\n'],
  ['a boundary with many blanks', `x\r\n--BB${' '.repeat(10_000)}y`],
  ['carriage returns', '\r\r\r'],
  ['nothing', ''],
])('%s is content', async (_, content) => {
  for (const pieces of [1, 3, 65_536]) {
    expect(await read(part(NAME, content) + END, pieces)).toBe(JSON.stringify({ a: content }));
  }
});

test('a file is JSON where its type is exactly that, and the first of a name counts', async () => {
  const file = (type: string, content: string) =>
    part(`${NAME.replace('\r', '; filename="x"\r')}Content-Type: ${type}\r\n`, content);
  const json = file('application/json', '{"k":1}');
  expect(await read(json + file('application/json', '2') + END)).toBe('{"a":{"k":1}}');
  expect(await read(part(NAME, '1') + json + END)).toBe('{"a":{"k":1}}');
  expect(await read(file('application/json; charset=utf-8', '{"k":1}') + END)).toBe('null');
  expect(await read(file('text/plain', '{"k":1}') + json + END)).toBe('null');
  await expect(read(file('application/json', 'x'.repeat(1001)) + END)).rejects.toThrow('too large');
});

const MISSING = 'the last boundary is missing';
const HEADERS = 'the headers of a part are too large';

test.each([
  ['headers without an end', `--BB\r\n${'X: y\r\n'.repeat(40_000)}`, HEADERS],
  ['a header that is too long', `--BB\r\nX: ${'y'.repeat(2 << 20)}`, HEADERS],
  ['a line that is no header', `--BB\r\nX\r\n\r\n`, 'a header of a part has no colon'],
  ['content without an end', part(NAME, '1'), MISSING],
  ['no dashes behind the last boundary', `${part(NAME, '1')}--BB`, MISSING],
  ['a body that ends before the first part', '--BB\r\n', MISSING],
  ['no boundary at all', 'abc', MISSING],
  ['too many parts', part(NAME, '1').repeat(1001) + END, 'more than 1000 parts'],
])('%s is refused', async (_, text, message) => {
  await expect(read(text)).rejects.toThrow(message);
  await expect(read(text, 1000)).rejects.toThrow(message);
});

test('fields count with their headers', async () => {
  const text = part(NAME, 'x'.repeat(1000)) + END;
  await expect(read(text, 100, { maxFieldBytes: 1038 })).resolves.toContain('xxx');
  await expect(read(text, 100, { maxFieldBytes: 1037 })).rejects.toThrow('fields are too large');
});

test('the request must say that it is multipart, and name a boundary', async () => {
  const none = inPieces(Buffer.alloc(0), 1);
  await expect(readMultipart('text/plain', none, OPTIONS)).rejects.toThrow('multipart/form-data');
  await expect(readMultipart('multipart/form-data', none, OPTIONS)).rejects.toThrow('no boundary');
  await expect(readMultipart(undefined, none, OPTIONS)).rejects.toThrow('multipart/form-data');
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
