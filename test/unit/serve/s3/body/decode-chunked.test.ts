import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunkSigner } from '../../../../../src/backends/s3-protocol/signature-v4.ts';
import { decodeChunked } from '../../../../../src/serve/s3/body/payload.ts';
import { S3Error } from '../../../../../src/serve/s3/wire/s3-error.ts';
import { encodeChunked } from '../../../../servers/encode-chunked.ts';

const signing = {
  key: createSecretKey(Buffer.from('key')),
  date: '20261120T120000Z',
  scope: 's',
  seed: 'f'.repeat(64),
};
const signer = () => chunkSigner(signing.key, signing.date, signing.scope, signing.seed);

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface How {
  readonly signed?: boolean;
  readonly signedTrailer?: boolean;
  readonly piece?: number;
}

async function decode(bytes: Buffer, how: How = {}) {
  const { signed = false, signedTrailer = false, piece = 64 } = how;
  const trailers = new Map<string, string>();
  const parts: Buffer[] = [];
  const options = { signedChunks: signed, signedTrailer, trailers };
  const data = decodeChunked(
    cut(bytes, piece),
    signed ? { ...options, signer: signer() } : options,
  );
  for await (const part of data) parts.push(part);
  return { data: Buffer.concat(parts), trailers: Object.fromEntries(trailers) };
}

const codeOf = (bytes: Buffer, how?: How): Promise<unknown> =>
  decode(bytes, how).then(
    () => 'decoded',
    (error) => (error instanceof S3Error ? error.code : error),
  );

test('any data in chunks of any size, however the pieces are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      async (bytes, chunk, piece, signed) => {
        const data = Buffer.from(bytes);
        const trailer = ['x-amz-checksum-crc32', 'AAAAAA=='] as const;
        const wire = encodeChunked(data, { chunk, trailer, ...(signed && { signer: signer() }) });
        const decoded = await decode(wire, { signed, signedTrailer: signed, piece });
        expect(decoded).toEqual({ data, trailers: { [trailer[0]]: trailer[1] } });
      },
    ),
    { numRuns: 60 },
  );
});

describe('refused', () => {
  const good = encodeChunked(Buffer.from('hello world'), { chunk: 4, signer: signer() });
  const broken = (from: string, to: string) =>
    Buffer.from(good.toString('latin1').replace(from, to));

  test('a changed byte of signed data', async () => {
    expect(await codeOf(good, { signed: true })).toBe('decoded');
    expect(await codeOf(broken('o wo', 'o Wo'), { signed: true })).toBe('SignatureDoesNotMatch');
  });

  test('signatures that are missing', async () => {
    const bare = encodeChunked(Buffer.from('hello'), { chunk: 4 });
    expect(await codeOf(bare, { signed: true })).toBe('SignatureDoesNotMatch');
  });

  test('a changed trailer', async () => {
    const trailer = ['x-amz-checksum-crc32', 'AAAAAA=='] as const;
    const wire = encodeChunked(Buffer.from('x'), { chunk: 4, trailer, signer: signer() });
    const changed = Buffer.from(wire.toString('latin1').replace('AAAAAA==', 'AAAAAB=='), 'latin1');
    const how = { signed: true, signedTrailer: true };
    expect(await codeOf(wire, how)).toBe('decoded');
    expect(await codeOf(changed, how)).toBe('SignatureDoesNotMatch');
  });

  test.each([
    ['no size', '\r\nabc', 'InvalidRequest'],
    ['a size that is no number', 'xyz\r\n', 'InvalidRequest'],
    ['a negative size', '-1\r\n', 'InvalidRequest'],
    ['a chunk without its end', '3\r\nabcdef\r\n0\r\n\r\n', 'InvalidRequest'],
    ['something behind the end', '3\r\nabc\r\n0\r\n\r\nmore', 'InvalidRequest'],
    ['a header that never ends', 'f'.repeat(9000), 'InvalidRequest'],
    ['a trailer without a colon', '0\r\ntrailer\r\n\r\n', 'MalformedTrailerError'],
    ['a body cut in a chunk', '5\r\nabc', 'IncompleteBody'],
    ['a body cut before the last chunk', '3\r\nabc\r\n', 'IncompleteBody'],
    ['a body cut in the trailer', '0\r\na:b\r\n', 'IncompleteBody'],
    ['nothing at all', '', 'IncompleteBody'],
  ])('%s', async (_, text, code) => {
    expect(await codeOf(Buffer.from(text))).toBe(code);
  });
});
