import { hash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { encodeCrc32 } from '../../../src/backends/s3/checksums.ts';
import { startS3Server } from '../../../src/serve/s3/s3-server.ts';
import { type LyingProxy, startLyingProxy } from './lying-proxy.ts';

const MIB = 1024 * 1024;
/** No two ranges of it are equal. */
const OLD = Buffer.alloc(8 * MIB);
for (let at = 0; at < OLD.length; at += 4) OLD.writeUInt32BE(at, at);
const END = Buffer.from('end');

let root: string;
let server: Awaited<ReturnType<typeof startS3Server>>;
let proxy: LyingProxy;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'syncer-part-copy-lies-'));
  server = await startS3Server({ root, port: 0, authKeys: [], region: 'us-east-1' });
  proxy = await startLyingProxy(server.endpoint);
  await ask('PUT', '');
  await ask('PUT', '/old', {}, OLD);
});
beforeEach(() => proxy.setLie(undefined));
afterAll(async () => {
  await proxy.close();
  await server.close();
  await rm(root, { recursive: true });
});

async function ask(method: string, path: string, headers = {}, body?: Buffer | string) {
  const content = body === undefined ? {} : { body: Buffer.from(body) };
  const response = await fetch(`${proxy.endpoint}/bucket${path}`, { method, headers, ...content });
  return { status: response.status, text: await response.text() };
}

const inText = (text: string, name: string) => new RegExp(`<${name}>(.*?)</`).exec(text)?.[1];
const etagOf = (text: string) => inText(text, 'ETag')?.replaceAll(/&[^;]*;|"/g, '');
const sumOf = (bytes: Buffer) => encodeCrc32(crc32(bytes));

/** Copies the first 5 MiB and a byte from an offset as the first part, sends a second one, and completes the upload. */
async function uploadFrom(offset: number, more = {}) {
  const sums = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' };
  const id = inText((await ask('POST', '/new?uploads', sums)).text, 'UploadId');
  const range = `bytes=${offset}-${offset + 5 * MIB}`;
  const source = { 'x-amz-copy-source': '/bucket/old', 'x-amz-copy-source-range': range, ...more };
  const copied = await ask('PUT', `/new?uploadId=${id}&partNumber=1`, source);
  await ask('PUT', `/new?uploadId=${id}&partNumber=2`, {}, END);
  const [etag, sum] = [etagOf(copied.text), inText(copied.text, 'ChecksumCRC32')];
  const complete = (headers = {}) => {
    const first = `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag>${
      sum === undefined ? '' : `<ChecksumCRC32>${sum}</ChecksumCRC32>`
    }</Part>`;
    const second = `<Part><PartNumber>2</PartNumber><ETag>${hash('md5', END)}</ETag></Part>`;
    const body = `<CompleteMultipartUpload>${first}${second}</CompleteMultipartUpload>`;
    return ask('POST', `/new?uploadId=${id}`, headers, body);
  };
  return { ...copied, etag, sum, complete, range: OLD.subarray(offset, offset + 5 * MIB + 1) };
}

const stored = () => readFile(join(root, 'bucket/new'));
const withEnd = (first: Buffer) => Buffer.concat([first, END]);

test('a store that does not lie responds with the MD5 and CRC-32 of the range', async () => {
  const { range, etag, sum, complete } = await uploadFrom(100);
  expect([etag, sum]).toEqual([hash('md5', range), sumOf(range)]);
  const headers = { 'x-amz-checksum-crc32': sumOf(withEnd(range)) };
  expect((await complete(headers)).status).toBe(200);
  expect((await stored()).equals(withEnd(range))).toBe(true);
});

test.each([0, 100])('part-copy-other-bytes copies a range beside that from %i', async (offset) => {
  proxy.setLie({ lie: 'part-copy-other-bytes' });
  const { range, etag, sum, complete } = await uploadFrom(offset);
  const by = offset === 0 ? 1 : -1;
  const other = OLD.subarray(offset + by, offset + by + range.length);
  expect([etag, sum]).toEqual([hash('md5', other), sumOf(other)]);
  expect((await complete()).status).toBe(200);
  expect((await stored()).equals(withEnd(other))).toBe(true);
});

test('part-copy-lying-etag has the sums of the range while other bytes are stored, until a whole sum is checked', async () => {
  proxy.setLie({ lie: 'part-copy-lying-etag' });
  const { range, etag, sum, complete } = await uploadFrom(100);
  expect([etag, sum]).toEqual([hash('md5', range), sumOf(range)]);
  const refused = await complete({ 'x-amz-checksum-crc32': sumOf(withEnd(range)) });
  expect([refused.status, inText(refused.text, 'Code')]).toEqual([400, 'BadDigest']);
  const done = await complete();
  expect(done.status).toBe(200);
  const parts = [range, END].map((part) => hash('md5', part, 'buffer'));
  expect(etagOf(done.text)).not.toBe(`${hash('md5', Buffer.concat(parts))}-2`);
  expect((await stored()).equals(withEnd(OLD.subarray(99, 99 + range.length)))).toBe(true);
});

test('copy-ignores-if-match copies from an object with another ETag', async () => {
  const other = { 'x-amz-copy-source-if-match': '"other"' };
  expect((await uploadFrom(100, other)).status).toBe(412);
  proxy.setLie({ lie: 'copy-ignores-if-match' });
  const { status, etag, range } = await uploadFrom(100, other);
  expect([status, etag]).toEqual([200, hash('md5', range)]);
});

test('part-copy-no-sum leaves the CRC-32 out of the response', async () => {
  proxy.setLie({ lie: 'part-copy-no-sum' });
  const { range, etag, sum, complete } = await uploadFrom(100);
  expect([etag, sum]).toEqual([hash('md5', range), undefined]);
  expect((await complete()).status).toBe(200);
});

test.each([
  ['part-copy-odd-etag', /^[0-9a-f]{32}-1$/],
  ['part-copy-old-etag', new RegExp(`^${hash('md5', OLD)}$`)],
])('%s shows another ETag, which the store takes to complete the upload', async (lie, etags) => {
  proxy.setLie({ lie });
  const { range, etag, complete } = await uploadFrom(100);
  expect(etag).toMatch(etags);
  expect((await complete()).status).toBe(200);
  expect((await stored()).equals(withEnd(range))).toBe(true);
});

test('complete-too-small refuses to complete an upload after all parts were taken', async () => {
  await rm(join(root, 'bucket/new'), { force: true });
  const { complete } = await uploadFrom(100);
  proxy.setLie({ lie: 'complete-too-small' });
  const { status, text } = await complete();
  expect([status, inText(text, 'Code')]).toEqual([400, 'EntityTooSmall']);
  await expect(stored()).rejects.toThrow('ENOENT');
});

test('the log of the lying proxy has the bytes of bodies: those of copied parts are not sent', async () => {
  proxy.log.clear();
  await uploadFrom(100);
  expect(proxy.log.bodyBytes('UploadPart')).toBe(END.length);
  expect(proxy.log.bodyBytes('UploadPartCopy')).toBe(0);
});
