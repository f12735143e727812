import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SignerV4 } from '../../../../src/backends/s3/signers.ts';
import { framedChunks, framedLength } from '../../../../src/backends/s3-protocol/chunk-frames.ts';
import { encodeChunked } from '../../../servers/encode-chunked.ts';

const KEYS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const CHUNK = 64 * 1024;

const trailer = (name: string, value: string) => ({
  ...{ name, valueLength: value.length },
  value: () => value,
});

async function* cut(data: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < data.length; from += size) yield data.subarray(from, from + size);
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const collected: Buffer[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
}

/** A signer that stands where Amazon's example of a chunked upload with a trailer stands. */
function exampleSigner() {
  const signer = new SignerV4();
  const headers = {
    host: 's3.amazonaws.com',
    'content-encoding': 'aws-chunked',
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    'x-amz-trailer': 'x-amz-checksum-crc32c',
  };
  const request = { method: 'PUT', path: '/examplebucket/chunkObject.txt', query: '', headers };
  const now = Date.UTC(2013, 4, 24);
  const payload = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER';
  const signed = signer.signHeaders(request, KEYS, 'us-east-1', payload, now);
  return { signed, chunks: signer.signChunks(signed, KEYS, 'us-east-1') };
}

describe('framedChunks', () => {
  it('signs chunks and trailer as Amazon does', async () => {
    // "Signature calculations for trailing headers", S3 API reference.
    const { signed, chunks } = exampleSigner();
    expect(signed['authorization']).toContain(
      'Signature=106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e',
    );
    const data = Buffer.alloc(66_560, 'a');
    const given = trailer('x-amz-checksum-crc32c', 'sOO8/Q==');
    const text = String(await collect(framedChunks(cut(data, 1000), given, chunks)));
    expect(text.match(/signature[=:]\w{64}/g)).toEqual([
      'signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
      'signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
      'signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
      'signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435',
    ]);
  });

  it('writes what another encoder writes, as long as it says, however the data comes', async () => {
    const sizes = fc.constantFrom(0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 200_000);
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 500, max: 90_000 }), async (size, piece) => {
        const data = Buffer.alloc(size, 'some data ');
        const [name, value] = ['x-amz-checksum-crc32', 'AAAAAA=='] as const;
        const given = trailer(name, value);
        const wanted = encodeChunked(data, { chunk: CHUNK, trailer: [name, value] });
        const unsigned = await collect(framedChunks(cut(data, piece), given, undefined));
        expect(unsigned.equals(wanted)).toBe(true);
        expect(framedLength(size, given, false)).toBe(wanted.length);
        const signer = exampleSigner().chunks;
        const signed = await collect(framedChunks(cut(data, piece), given, signer));
        expect(signed.length).toBe(framedLength(size, given, true));
      }),
      { numRuns: 30 },
    );
  });
});
