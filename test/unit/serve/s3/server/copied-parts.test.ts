import { hash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Upload } from '../../../../../src/serve/s3/store/upload.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

const MIB = 1024 * 1024;
/** No two ranges of it are equal. */
const OLD = Buffer.alloc(12 * MIB);
for (let at = 0; at < OLD.length; at += 4) OLD.writeUInt32LE(at, at);
/** The first part is long enough for one that is not the last. */
const FIRST = OLD.subarray(3, 3 + 6 * MIB);
const SENT = Buffer.alloc(5 * MIB, 's');
const LAST = OLD.subarray(7 * MIB + 1);
const WHOLE = Buffer.concat([FIRST, SENT, LAST]);

let s3: TestS3;
let root: string;
beforeEach(async () => {
  root = fs.mkdtempSync(join(tmpdir(), 'syncer-copied-parts-'));
  s3 = await startTestS3({ authKeys: [], root });
  await ask('PUT', '');
  // A file that has just been written could change again without its time.
  await ask('PUT', '/old', { 'x-amz-meta-mtime': '1500000000.25' }, OLD);
});
afterEach(async () => {
  await s3.stop();
  fs.rmSync(root, { recursive: true });
});

async function startAgain(): Promise<void> {
  await s3.stop();
  s3 = await startTestS3({ authKeys: [], root });
}

async function ask(method: string, path: string, headers = {}, body?: Buffer | string) {
  const init = {
    method,
    headers,
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
  };
  const response = await fetch(`${s3.endpoint}/bucket${path}`, init);
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const code = /<Code>(.*?)</.exec(text)?.[1];
  return { status: response.status, headers: response.headers, text, code };
}

const inText = (text: string, name: string) => new RegExp(`<${name}>(.*?)</`).exec(text)?.[1];
const etagOf = (text: string) => inText(text, 'ETag')?.replaceAll(/&[^;]*;|"/g, '');
const sumOf = (bytes: Buffer) => {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum.toString('base64');
};

async function begin(): Promise<string> {
  const headers = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' };
  return inText((await ask('POST', '/new?uploads', headers)).text, 'UploadId') ?? '';
}

function copy(id: string, number: number, part: Buffer, more = {}) {
  const first = part.byteOffset - OLD.byteOffset;
  const range = `bytes=${first}-${first + part.length - 1}`;
  const headers = { 'x-amz-copy-source': '/bucket/old', 'x-amz-copy-source-range': range, ...more };
  return ask('PUT', `/new?uploadId=${id}&partNumber=${number}`, headers);
}

/** An upload of the whole: a copied part, a sent one and a copied one. */
async function upload(): Promise<string> {
  const id = await begin();
  expect((await copy(id, 1, FIRST)).status).toBe(200);
  await ask('PUT', `/new?uploadId=${id}&partNumber=2`, {}, SENT);
  expect((await copy(id, 3, LAST)).status).toBe(200);
  return id;
}

function complete(id: string, headers = { 'x-amz-checksum-crc32': sumOf(WHOLE) }) {
  const parts = [FIRST, SENT, LAST].map(
    (part, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${hash('md5', part)}</ETag></Part>`,
  );
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  return ask('POST', `/new?uploadId=${id}`, headers, body);
}

const hidden = (id: string) => join(root, 'bucket/.syncer-s3/uploads', id);
const content = (key: string) => fs.readFileSync(join(root, 'bucket', key));

/** The parts whose files are second names of the source. */
function linked(id: string): string[] {
  const { ino } = fs.statSync(join(root, 'bucket/old'));
  const names = fs
    .readdirSync(hidden(id))
    .filter((name) => fs.statSync(join(hidden(id), name)).ino === ino);
  return names.map((name) => name.replace(/-.*/, '')).sort();
}

/** Writes into the file of the source as another program does. */
function writeInto(at: number): void {
  const fd = fs.openSync(join(root, 'bucket/old'), 'r+');
  fs.writeSync(fd, 'changed', at);
  fs.closeSync(fd);
}

test('a copied part is a second name of its source, and its response has the MD5 and CRC-32 of the range', async () => {
  const id = await begin();
  const { text } = await copy(id, 1, FIRST);
  expect(etagOf(text)).toBe(hash('md5', FIRST));
  expect(inText(text, 'ChecksumCRC32')).toBe(sumOf(FIRST));
  expect(linked(id)).toEqual(['1']);
  const listed = (await ask('GET', `/new?uploadId=${id}`)).text;
  expect(inText(listed, 'Size')).toBe(String(FIRST.length));
  expect(etagOf(listed)).toBe(hash('md5', FIRST));
});

test.each<[string, () => Promise<unknown>]>([
  ['stays', async () => {}],
  ['is replaced', () => ask('PUT', '/old', {}, 'other')],
  ['is deleted', () => ask('DELETE', '/old')],
  [
    'gets other metadata and another time',
    () =>
      ask('PUT', '/old', {
        'x-amz-copy-source': '/bucket/old',
        'x-amz-metadata-directive': 'REPLACE',
        'x-amz-meta-mtime': '1600000000',
      }),
  ],
  [
    'is moved away and the server is started again',
    async () => {
      fs.renameSync(join(root, 'bucket/old'), join(root, 'bucket/moved'));
      await startAgain();
    },
  ],
])(
  'the new object has the bytes of before if the source %s before Complete',
  async (_what, change) => {
    const id = await upload();
    await change();
    const done = await complete(id);
    expect([done.status, done.code]).toEqual([200, undefined]);
    expect(inText(done.text, 'ChecksumCRC32')).toBe(sumOf(WHOLE));
    expect(content('new').equals(WHOLE)).toBe(true);
    expect(fs.existsSync(hidden(id))).toBe(false);
  },
);

test('the object that is replaced can be the source of its own parts', async () => {
  const id = inText((await ask('POST', '/old?uploads')).text, 'UploadId') ?? '';
  const range = {
    'x-amz-copy-source': '/bucket/old',
    'x-amz-copy-source-range': 'bytes=0-6291455',
  };
  const first = await ask('PUT', `/old?uploadId=${id}&partNumber=1`, range);
  const second = await ask('PUT', `/old?uploadId=${id}&partNumber=2`, {}, 'end');
  const parts = [etagOf(first.text), second.headers.get('etag')].map(
    (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  expect((await ask('POST', `/old?uploadId=${id}`, {}, body)).status).toBe(200);
  expect(content('old').equals(Buffer.concat([OLD.subarray(0, 6 * MIB), Buffer.from('end')]))).toBe(
    true,
  );
});

test('a change of the source by another program is found at Complete, and the part can be sent instead', async () => {
  const id = await upload();
  writeInto(6 * MIB);
  expect(await complete(id)).toMatchObject({ status: 400, code: 'InvalidPart' });
  expect((await ask('HEAD', '/new')).status).toBe(404);
  await ask('PUT', `/new?uploadId=${id}&partNumber=1`, {}, FIRST);
  expect(linked(id)).toEqual(['3']);
  expect((await complete(id)).status).toBe(200);
  expect(content('new').equals(WHOLE)).toBe(true);
});

test('a source that another program cuts short is found at Complete, also with the time of before', async () => {
  const id = await upload();
  fs.truncateSync(join(root, 'bucket/old'), 8 * MIB);
  fs.utimesSync(join(root, 'bucket/old'), 1, 1_500_000_000.25);
  expect(await complete(id)).toMatchObject({ status: 400, code: 'InvalidPart' });
});

test('a source that changes while it is read is copied as it is then, or refused by if-match', async () => {
  const { link } = Upload.prototype;
  const changeAt = (at: number) =>
    vi.spyOn(Upload.prototype, 'link').mockImplementationOnce(function (this: Upload, ...given) {
      const made = link.apply(this, given);
      expect(made).toBeDefined();
      writeInto(at);
      return made;
    });
  const id = await begin();
  changeAt(10);
  const copied = await copy(id, 1, FIRST);
  const now = content('old').subarray(3, 3 + 6 * MIB);
  expect(etagOf(copied.text)).toBe(hash('md5', now));
  expect(linked(id)).toEqual([]);
  fs.utimesSync(join(root, 'bucket/old'), 1, 1_500_000_001);
  changeAt(20);
  const etag = (await ask('HEAD', '/old')).headers.get('etag');
  const refused = await copy(id, 2, FIRST, { 'x-amz-copy-source-if-match': etag });
  expect(refused).toMatchObject({ status: 412, code: 'PreconditionFailed' });
  expect(linked(id)).toEqual([]);
});

test('a source that has just been written is copied at once: a change might not be seen', async () => {
  const { mtimeMs } = fs.statSync(join(root, 'bucket/old'));
  const id = await begin();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Math.floor(mtimeMs) + 20);
  const copied = await copy(id, 1, FIRST);
  clock.mockRestore();
  expect(etagOf(copied.text)).toBe(hash('md5', FIRST));
  expect(linked(id)).toEqual([]);
  writeInto(6 * MIB);
  const name = fs.readdirSync(hidden(id)).find((each) => each === 'data') ?? '';
  expect(fs.readFileSync(join(hidden(id), name)).equals(FIRST)).toBe(true);
});

test.each<[string, Record<string, string>, string]>([
  ['another ETag', { 'x-amz-copy-source-if-match': '"other"' }, '412 PreconditionFailed'],
  [
    'a range that ends beyond the object',
    { 'x-amz-copy-source-range': `bytes=1-${OLD.length}` },
    '416 InvalidRange',
  ],
  ['no such source', { 'x-amz-copy-source': '/bucket/none' }, '404 NoSuchKey'],
])('a part is not copied from %s', async (_what, headers, refusal) => {
  const id = await begin();
  const { status, code } = await copy(id, 1, FIRST, headers);
  expect(`${status} ${code}`).toBe(refusal);
  expect(fs.readdirSync(hidden(id))).toEqual(['upload.json']);
});

test('an upload is not completed with a copied part below 5 MiB that is not the last, or with the CRC-32 of other bytes', async () => {
  const id = await begin();
  const small = OLD.subarray(0, 5 * MIB - 1);
  await copy(id, 1, small);
  await copy(id, 2, LAST);
  const [first, last] = [small, LAST].map((part) => hash('md5', part));
  const list = `<Part><PartNumber>1</PartNumber><ETag>${first}</ETag></Part><Part><PartNumber>2</PartNumber><ETag>${last}</ETag></Part>`;
  const body = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`;
  const refused = await ask('POST', `/new?uploadId=${id}`, {}, body);
  expect(refused).toMatchObject({ status: 400, code: 'EntityTooSmall' });
  await copy(id, 1, FIRST);
  await ask('PUT', `/new?uploadId=${id}&partNumber=2`, {}, SENT);
  await copy(id, 3, LAST);
  const other = await complete(id, { 'x-amz-checksum-crc32': sumOf(OLD) });
  expect(other).toMatchObject({ status: 400, code: 'BadDigest' });
  expect((await ask('HEAD', '/new')).status).toBe(404);
  expect((await complete(id)).status).toBe(200);
});

test('a second name that no part has is deleted when the server starts again', async () => {
  const id = await upload();
  fs.linkSync(join(root, 'bucket/old'), join(hidden(id), '4-killed'));
  await startAgain();
  await ask('GET', `/new?uploadId=${id}`);
  expect(linked(id)).toEqual(['1', '3']);
});
