import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeCrc32 } from '../../../../src/backends/s3/checksums.ts';
import { collectBody } from '../../../../src/core/body.ts';
import type { FileEntry, Remote, WriteSource } from '../../../../src/core/remote.ts';
import { failFirst } from '../../../servers/fault.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { startTlsFront, type TlsFront } from '../../../servers/tls-front.ts';
import { testOfAll } from '../../../support/in-part.ts';
import { OP, type OpenedS3, openS3, sourceOf } from '../../../support/open-s3.ts';

const MIB = 1024 ** 2;
const LARGE = Buffer.alloc(17 * MIB + 5, 'too large for memory ');
const PROTECTED = { use_data_integrity_protections: 'true' };
const md5 = (content: Buffer) => createHash('md5').update(content).digest('hex');
const crc = (content: Buffer) => encodeCrc32(crc32(content));

let s3: TestS3;
let tls: TlsFront;
let plain: Remote;

const open = (options: Record<string, string> = {}) =>
  openS3(s3, 'bucket', { options: { ...PROTECTED, ...options } });
const openSecure = (options: Record<string, string> = {}) =>
  openS3({ ...s3, endpoint: tls.endpoint }, 'bucket', {
    options: { ...PROTECTED, ...options },
    transport: { insecureTls: true },
  });

beforeAll(async () => {
  s3 = await startTestS3();
  tls = await startTlsFront(s3.endpoint);
  ({ remote: plain } = await openS3(s3, 'bucket'));
  await plain.makeDir('', OP);
});
beforeEach(() => {
  s3.setFaults(undefined);
  s3.log.clear();
});
afterAll(async () => {
  await plain.close();
  tls.close();
  await s3.stop();
});

const requests = (operation: string) =>
  s3.log.requests.filter((request) => request.operation === operation);
const logged = ({ events }: OpenedS3) => events.filter(({ type }) => type === 'log');
const notLocal = (source: WriteSource): WriteSource => ({
  ...source,
  seekable: false,
  open: async (range) => Readable.from([await source.open(range, OP)], { objectMode: false }),
});

describe('a file whose MD5 is not known beforehand', () => {
  it.each([
    ['signed chunk by chunk without TLS', open, 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'],
    ['not signed over TLS', openSecure, 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'],
  ])('goes up in one PUT with a trailer, %s', async (_name, openStore, payload) => {
    const opened = await openStore();
    let hashed = 0;
    const hash = async () => String(hashed++);
    const source = { ...sourceOf('streamed', LARGE), hash, metadata: { k: 'v' } };
    const written = await opened.remote.write(source, OP);
    expect(written).toMatchObject({ etag: md5(LARGE), hashes: { md5: md5(LARGE) } });
    expect(hashed).toBe(0);
    expect(s3.log.count('PutObject')).toBe(1);
    expect(requests('PutObject')[0]?.headers).toMatchObject({
      'x-amz-content-sha256': payload,
      'x-amz-trailer': 'x-amz-checksum-crc32',
      'x-amz-decoded-content-length': String(LARGE.length),
      expect: '100-continue',
    });
    const there = (await plain.stat('streamed', OP)) as FileEntry;
    expect(there).toMatchObject({ size: LARGE.length, hashes: { md5: md5(LARGE) } });
    expect(there.modTime).toBe(source.modTime);
    expect(there.metadata).toMatchObject({ k: 'v' });
    expect(there.metadata).not.toHaveProperty('content-encoding');
    expect(
      (await collectBody(await plain.read(there, undefined, OP), OP.signal)).equals(LARGE),
    ).toBe(true);
    // The store has shown that it knows trailers: it is not asked again, and what opens once may go too.
    await opened.remote.write(notLocal(sourceOf('again', LARGE)), OP);
    expect(requests('PutObject')[1]?.headers).not.toHaveProperty('expect');
    expect(s3.log.count('UploadPart')).toBe(0);
    expect(logged(opened)).toEqual([]);
    await opened.remote.close();
  });

  it('keeps the content encoding that is its own', async () => {
    const { remote } = await open();
    const metadata = { 'content-encoding': 'gzip' };
    await remote.write({ ...sourceOf('zipped', LARGE), metadata }, OP);
    expect(requests('PutObject')[0]?.headers['content-encoding']).toBe('aws-chunked,gzip');
    const there = (await plain.stat('zipped', OP)) as FileEntry;
    expect(there.metadata?.['content-encoding']).toBe('gzip');
    await remote.close();
  });

  it('does not become visible where a byte of it changes on the way', async () => {
    const opened = await openSecure();
    s3.setFaults(failFirst('PutObject', 1, { corruptUpload: true, at: 9 * MIB }));
    await expect(opened.remote.write(sourceOf('bent', LARGE), OP)).rejects.toMatchObject({
      code: 'corrupted',
    });
    expect(await plain.stat('bent', OP)).toBeUndefined();
    await opened.remote.write(sourceOf('bent', LARGE), OP);
    expect(s3.log.count('UploadPart')).toBe(0);
    expect(logged(opened)).toEqual([]);
    await opened.remote.close();
  });

  testOfAll('is sent another way where a signed chunk changes on the way', async () => {
    const { remote } = await open();
    s3.setFaults(failFirst('PutObject', 1, { corruptUpload: true, at: 9 * MIB }));
    const written = await remote.write(sourceOf('bent-2', LARGE), OP);
    expect(written).toMatchObject({ size: LARGE.length, etag: expect.stringMatching(/-4$/) });
    await remote.close();
  });

  it('does not become visible where it is not what its source promised', async () => {
    const { remote } = await open();
    const hashes = { sha1: '0'.repeat(40) };
    await expect(remote.write({ ...sourceOf('lie', LARGE), hashes }, OP)).rejects.toMatchObject({
      code: 'corrupted',
    });
    expect(await plain.stat('lie', OP)).toBeUndefined();
    await remote.close();
  });
});

describe('whole bodies and parts', () => {
  it('carry CRC-32s, parts over TLS nothing else, and readers can verify both', async () => {
    const { remote } = await openSecure({ upload_cutoff: '17Mi' });
    await remote.write(sourceOf('small', 'small'), OP);
    const small = requests('PutObject')[0]?.headers;
    expect(small?.['x-amz-checksum-crc32']).toBe(crc(Buffer.from('small')));
    expect(small?.['content-md5']).toBe(
      Buffer.from(md5(Buffer.from('small')), 'hex').toString('base64'),
    );
    const hash = async () => md5(LARGE);
    const written = await remote.write({ ...sourceOf('parts', LARGE), hash }, OP);
    expect(written).toMatchObject({ hashes: { md5: md5(LARGE) } });
    expect(requests('UploadPart').length).toBe(4);
    for (const { headers } of requests('UploadPart')) {
      expect(headers['x-amz-checksum-crc32']).toMatch(/^[\w+/]{6}==$/);
      expect(headers).not.toHaveProperty('content-md5');
    }
    expect(requests('CompleteMultipartUpload')[0]?.headers).toMatchObject({
      'x-amz-checksum-crc32': crc(LARGE),
      'x-amz-checksum-type': 'FULL_OBJECT',
    });
    const there = (await plain.stat('parts', OP)) as FileEntry;
    expect(there.hashes).toEqual({ md5: md5(LARGE) });
    await remote.close();
  });

  it('are signed by their SHA-256 without TLS, where anybody could make a body fit its CRC-32', async () => {
    const { remote } = await open({ upload_cutoff: '5Mi' });
    await remote.write(sourceOf('parts-2', LARGE), OP);
    for (const { headers } of requests('UploadPart')) {
      expect(headers).toMatchObject({
        'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
        'x-amz-checksum-crc32': expect.any(String),
      });
      expect(headers).not.toHaveProperty('content-md5');
    }
    await remote.close();
  });

  it('are looked for again where a completion whose answer is lost is still under way', async () => {
    const { remote } = await open({ upload_cutoff: '5Mi' });
    s3.setFaults(({ operation }, n) => {
      if (operation === 'HeadObject' && n < 2) return { status: 404 };
      if (operation !== 'CompleteMultipartUpload') return undefined;
      // Most stores know the upload no more.
      return n === 0 ? { reset: 'after' } : { status: 404, code: 'NoSuchUpload' };
    });
    const written = await remote.write(sourceOf('parts-5', LARGE), OP);
    expect(written.etag).toMatch(/-4$/);
    expect(s3.log.count('HeadObject')).toBe(3);
    await remote.close();
  });

  it('survive a change on the way without TLS', async () => {
    const { remote } = await open({ upload_cutoff: '5Mi' });
    s3.setFaults(failFirst('UploadPart', 1, { corruptUpload: true, at: 7 }));
    await remote.write(sourceOf('parts-4', LARGE), OP);
    expect(s3.log.count('UploadPart')).toBe(5);
    const there = (await plain.stat('parts-4', OP)) as FileEntry;
    const stored = await collectBody(await plain.read(there, undefined, OP), OP.signal);
    expect(stored.equals(LARGE)).toBe(true);
    await remote.close();
  });

  it('survive a part that changes on the way, and a completion whose answer is lost', async () => {
    const { remote } = await openSecure({ upload_cutoff: '5Mi' });
    s3.setFaults(({ operation }, n) => {
      if (operation === 'UploadPart' && n === 1) return { corruptUpload: true, at: MIB };
      return operation === 'CompleteMultipartUpload' && n === 0 ? { reset: 'after' } : undefined;
    });
    const written = await remote.write(sourceOf('parts-3', LARGE), OP);
    expect(written.etag).toMatch(/-4$/);
    expect(s3.log.count('UploadPart')).toBe(5);
    expect(s3.log.count('CompleteMultipartUpload')).toBe(2);
    await remote.close();
  });
});

describe('an object that is read whole', () => {
  const readWith = async (remote: Remote, path: string, size: number) =>
    collectBody(await remote.read({ kind: 'file', path, size }, undefined, OP), OP.signal);

  beforeAll(async () => {
    const { remote } = await open({ upload_cutoff: '17Mi' });
    await remote.write(sourceOf('read-small', 'content'), OP);
    await remote.write(sourceOf('read-parts', LARGE), OP);
    await remote.close();
  });

  it('is read again where it is small and came changed', async () => {
    const { remote } = await open();
    s3.setFaults(failFirst('GetObject', 1, { corrupt: true, at: 3 }));
    expect(String(await readWith(remote, 'read-small', 7))).toBe('content');
    expect(requests('GetObject').length).toBe(2);
    expect(requests('GetObject')[0]?.headers['x-amz-checksum-mode']).toBe('ENABLED');
    await remote.close();
  });

  it('fails the stream where it is large and came changed', async () => {
    const { remote } = await open();
    s3.setFaults(failFirst('GetObject', 1, { corrupt: true, at: 9 * MIB }));
    await expect(readWith(remote, 'read-parts', LARGE.length)).rejects.toMatchObject({
      code: 'corrupted',
      message: expect.stringContaining('bucket/read-parts'),
    });
    expect((await readWith(remote, 'read-parts', LARGE.length)).equals(LARGE)).toBe(true);
    await remote.close();
  });

  it('is not asked for its checksum in ranges, nor without the option', async () => {
    const { remote } = await open();
    const file: FileEntry = { kind: 'file', path: 'read-small', size: 7 };
    expect(String(await remote.read(file, { offset: 2, length: 3 }, OP))).toBe('nte');
    await readWith(plain, 'read-small', 7);
    for (const { headers } of requests('GetObject')) {
      expect(headers).not.toHaveProperty('x-amz-checksum-mode');
    }
    await remote.close();
  });
});
