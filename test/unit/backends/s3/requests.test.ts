import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWithDetails } from '../../../../src/core/body.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

const MIB = 1024 ** 2;
const md5 = (content: Buffer | string) => createHash('md5').update(content).digest('hex');

let s3: TestS3;
let remote: Remote;

beforeAll(async () => {
  s3 = await startTestS3();
  ({ remote } = await openS3(s3, 'bucket'));
  await remote.makeDir('', OP);
});
beforeEach(() => s3.log.clear());
afterAll(async () => {
  await remote.close();
  await s3.stop();
});

/** The requests that came, by operation. */
const counts = () => s3.log.counts();

async function fileAt(path: string): Promise<FileEntry> {
  const entry = await remote.stat(path, OP);
  if (entry?.kind !== 'file') throw new Error(`no file at ${path}`);
  return entry;
}

describe('writing', () => {
  it('takes one request for a small file, which carries MD5, type and time', async () => {
    const written = await remote.write(sourceOf('dir/page.html', '<p>'), OP);
    expect(counts()).toEqual({ PutObject: 1 });
    expect(s3.log.requests[0]?.headers).toMatchObject({
      'content-md5': Buffer.from(md5('<p>'), 'hex').toString('base64'),
      'content-type': 'text/html; charset=utf-8',
      'x-amz-meta-mtime': '1700000000.123456789',
      'user-agent': 'syncer-test',
    });
    expect(s3.log.requests[0]?.headers).not.toHaveProperty('transfer-encoding');
    expect(written).toMatchObject({ etag: md5('<p>'), hashes: { md5: md5('<p>') } });
  });

  it('makes a missing bucket, and not where that is forbidden', async () => {
    const forbidden = await openS3(s3, 'no-1', { options: { no_check_bucket: 'true' } });
    await expect(forbidden.remote.write(sourceOf('f', 'x'), OP)).rejects.toMatchObject({
      code: 'bucket-not-found',
      message: expect.stringContaining('no-1'),
    });
    const { remote: fresh } = await openS3(s3, 'new-1');
    s3.log.clear();
    await fresh.write(sourceOf('f', 'x'), OP);
    expect(counts()).toEqual({ PutObject: 2, CreateBucket: 1 });
  });

  it('makes a bucket once, and first, where a listing has found it missing', async () => {
    const { remote: fresh } = await openS3(s3, 'new-2');
    await expect(fresh.listPage('', undefined, OP)).rejects.toMatchObject({
      code: 'directory-not-found',
    });
    s3.log.clear();
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => fresh.write(sourceOf(name, name), OP)));
    expect(counts()).toEqual({ PutObject: 4, CreateBucket: 1 });
  });

  it('streams a file whose MD5 is known beforehand', async () => {
    const content = Buffer.alloc(17 * MIB, 'streamed');
    let asked = 0;
    const hash = async () => {
      asked++;
      return md5(content);
    };
    const open = async () => Readable.from([content], { objectMode: false });
    const written = await remote.write({ ...sourceOf('streamed', content), open, hash }, OP);
    expect(s3.log.count('PutObject')).toBe(1);
    expect(s3.log.count('UploadPart')).toBe(0);
    expect(asked).toBe(1);
    expect(written.etag).toBe(md5(content));
  });

  it('notices a file that changes between hashing and sending', async () => {
    const content = Buffer.alloc(17 * MIB, 'now');
    const hash = async () => md5('what it was before');
    await expect(
      remote.write({ ...sourceOf('changing', content), hash }, OP),
    ).rejects.toMatchObject({ code: 'source-changed' });
    expect(await remote.stat('changing', OP)).toBeUndefined();
  });

  it('writes large files in parts that carry CRC-32s, and the MD5 of the whole beside them', async () => {
    const content = Buffer.alloc(17 * MIB + 5, 'in parts');
    const { remote: inParts } = await openS3(s3, 'bucket', { options: { upload_cutoff: '5Mi' } });
    const hash = async () => md5(content);
    s3.log.clear();
    const written = await inParts.write({ ...sourceOf('large', content), hash }, OP);
    expect(counts()).toEqual({
      CreateMultipartUpload: 1,
      UploadPart: 4,
      CompleteMultipartUpload: 1,
    });
    for (const request of s3.log.requests.filter(({ operation }) => operation === 'UploadPart')) {
      expect(request.headers['x-amz-checksum-crc32']).toMatch(/^[\w+/]{6}==$/);
    }
    expect(written).toMatchObject({ size: content.length, hashes: { md5: md5(content) } });
    expect(written.etag).toMatch(/^[0-9a-f]{32}-4$/);
    const details = await inParts.can.details?.read(await fileAt('large'), OP);
    expect(details?.hashes).toEqual({ md5: md5(content) });
    expect(details?.metadata).not.toHaveProperty('md5chksum');
  });

  it('writes a stream of unknown size that is small with one request', async () => {
    const open = async () => Readable.from([Buffer.from('short')], { objectMode: false });
    const source = { ...sourceOf('short', ''), size: undefined, seekable: false, open };
    expect(await remote.write(source, OP)).toMatchObject({ size: 5, etag: md5('short') });
    expect(counts()).toEqual({ PutObject: 1 });
  });

  it('sends the headers that the options want', async () => {
    const { remote: special } = await openS3(s3, 'bucket', {
      options: { acl: 'public-read', storage_class: 'STANDARD_IA', requester_pays: 'true' },
    });
    s3.log.clear();
    await special.write(
      { ...sourceOf('special', 'x'), metadata: { 'Cache-Control': 'no-cache', owner: 'Zoë' } },
      OP,
    );
    expect(s3.log.requests[0]?.headers).toMatchObject({
      'x-amz-acl': 'public-read',
      'x-amz-storage-class': 'STANDARD_IA',
      'x-amz-request-payer': 'requester',
      'cache-control': 'no-cache',
    });
    const details = await special.can.details?.read(await fileAt('special'), OP);
    expect(details?.metadata).toMatchObject({ owner: 'Zoë', 'cache-control': 'no-cache' });
  });

  it.each(['.syncer-lock', 'd/.syncer-guard'])(
    'stores %s where it can be read, whatever the storage class',
    async (path) => {
      const options = { acl: 'public-read', storage_class: 'DEEP_ARCHIVE' };
      const { remote: archive } = await openS3(s3, 'bucket', { options });
      s3.log.clear();
      await archive.write(sourceOf(path, 'x'), OP);
      const headers = s3.log.requests[0]?.headers;
      expect(headers).toMatchObject({ 'x-amz-acl': 'public-read' });
      expect(headers).not.toHaveProperty('x-amz-storage-class');
      await archive.close();
    },
  );

  it('refuses a file outside any bucket', async () => {
    const { remote: top } = await openS3(s3, '');
    await expect(top.write(sourceOf('file', 'x'), OP)).rejects.toMatchObject({
      code: 'name-invalid',
    });
  });
});

describe('reading', () => {
  it('asks for the very object that was listed', async () => {
    await remote.write(sourceOf('replaced', 'one'), OP);
    const before = await fileAt('replaced');
    await remote.write(sourceOf('replaced', 'two'), OP);
    await expect(remote.read(before, undefined, OP)).rejects.toMatchObject({
      code: 'source-changed',
    });
  });

  it('takes one request for content and details', async () => {
    await remote.write(sourceOf('both', 'content'), OP);
    const [listed] = (await remote.listPage('', undefined, OP)).entries.filter(
      ({ path }) => path === 'both',
    );
    s3.log.clear();
    const { details } = remote.can;
    const both = details && (await openWithDetails(details, listed as FileEntry, OP));
    expect(String(both?.body)).toBe('content');
    expect(both?.file.modTime).toBe(1_700_000_000_123_456_789n);
    expect(counts()).toEqual({ GetObject: 1 });
  });
});

describe('other requests', () => {
  it('deletes a thousand files with one request', async () => {
    const files = Array.from({ length: 1000 }, (_, i) => ({
      kind: 'file' as const,
      path: `gone/${i}`,
      size: 0,
    }));
    await remote.write(sourceOf('gone/7', 'x'), OP);
    s3.log.clear();
    expect((await remote.delete(files, OP)).size).toBe(0);
    expect(counts()).toEqual({ DeleteObjects: 1 });
    expect(s3.log.requests[0]?.headers).toHaveProperty('content-md5');
    expect(await remote.stat('gone', OP)).toBeUndefined();
  });

  it('does not take an answer about other files for one about these', async () => {
    const answer =
      '<DeleteResult><Error><Key>other</Key><Code>AccessDenied</Code></Error></DeleteResult>';
    const server = createServer((_request, response) => response.end(answer));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { remote: misled } = await openS3({ ...s3, endpoint }, 'bucket');
    const files = ['asked', 'too'].map((path) => ({ kind: 'file' as const, path, size: 0 }));
    await expect(misled.delete(files, OP)).rejects.toMatchObject({
      code: 'bad-answer',
      message: expect.stringContaining('bucket/other'),
    });
    await misled.close();
    server.close();
  });

  it('copies large objects in parts, with their metadata', async () => {
    const content = Buffer.alloc(12 * MIB, 'copied');
    const options = { copy_cutoff: '5Mi' };
    const { remote: copier } = await openS3(s3, 'bucket', { options });
    const written = await copier.write({ ...sourceOf('from', content), mimeType: 'a/b' }, OP);
    s3.log.clear();
    await copier.can.copyFrom?.(copier, written, 'to', OP);
    expect(counts()).toMatchObject({ UploadPartCopy: 3, CompleteMultipartUpload: 1 });
    expect(await fileAt('to')).toMatchObject({
      size: content.length,
      mimeType: 'a/b',
      modTime: written.modTime,
    });
  });

  it('sets a time and keeps all other metadata', async () => {
    await remote.write({ ...sourceOf('timed', 'x'), mimeType: 'a/b', metadata: { k: 'v' } }, OP);
    const file = await fileAt('timed');
    const after = await remote.can.setModTime?.(file, 5_000_000_000n, OP);
    const now = await fileAt('timed');
    expect(now).toMatchObject({ modTime: 5_000_000_000n, mimeType: 'a/b' });
    expect(now.metadata).toMatchObject({ k: 'v', mtime: '1970-01-01T00:00:05Z' });
    expect(after).toMatchObject({ modTime: 5_000_000_000n, etag: now.etag });
    expect(after?.metadata?.['mtime']).toBe('1970-01-01T00:00:05Z');
  });

  it('copies keep the storage class, unless another one is set', async () => {
    const { remote } = await openS3(s3, 'bucket', { options: { storage_class: 'STANDARD_IA' } });
    await remote.write(sourceOf('in-class', 'x'), OP);
    await remote.close();
    const file = await fileAt('in-class');
    for (const [storage_class, tier] of [
      ['', 'STANDARD_IA'],
      ['ONEZONE_IA', 'ONEZONE_IA'],
    ] as const) {
      const { remote: to } = await openS3(s3, 'bucket', { options: { storage_class } });
      await to.can.copyFrom?.(to, file, 'copied-class', OP);
      expect(await fileAt('copied-class')).toMatchObject({ tier });
      await to.close();
    }
  });

  it('sets a time in the storage class that is wanted', async () => {
    await remote.write(sourceOf('classed', 'x'), OP);
    const options = { storage_class: 'STANDARD_IA' };
    const { remote: wants } = await openS3(s3, 'bucket', { options });
    await wants.can.setModTime?.(await fileAt('classed'), 5_000_000_000n, OP);
    expect(await fileAt('classed')).toMatchObject({ tier: 'STANDARD_IA' });
  });

  it('gives a link that anybody can read', async () => {
    await remote.write(sourceOf('a b+&/ü?.txt', 'linked'), OP);
    const link = await remote.can.publicLink?.(await fileAt('a b+&/ü?.txt'), 60_000, OP);
    const answer = await fetch(link ?? '');
    expect(await answer.text()).toBe('linked');
    expect(link).toContain('X-Amz-Expires=60&');
    expect(
      (await fetch(link?.replace(/.$/, (last) => (last === '0' ? '1' : '0')) ?? '')).status,
    ).toBe(403);
  });

  it('lists the account: buckets, and the files of all of them', async () => {
    const { remote: top } = await openS3(s3, '');
    await top.write(sourceOf('bucket-b/x', 'x'), OP);
    const { entries } = await top.listPage('', undefined, OP);
    expect(entries.map(({ path }) => path)).toContain('bucket-b');
    expect(entries[0]).toMatchObject({ kind: 'dir', isBucket: true, modTime: expect.any(BigInt) });
    const paths: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await top.can.listTreePage?.('', cursor, OP);
      paths.push(...(page?.entries ?? []).map(({ path }) => path));
      cursor = page?.cursor;
    } while (cursor !== undefined);
    expect(paths).toContain('bucket-b/x');
    expect(paths.indexOf('bucket-b/x')).toBeLessThan(paths.indexOf('bucket/timed'));
    await expect(top.can.purge?.('', OP)).rejects.toMatchObject({ code: 'usage' });
  });

  it('removes buckets only when they are empty', async () => {
    const { remote: top } = await openS3(s3, '');
    await top.write(sourceOf('full/x', 'x'), OP);
    await expect(top.deleteDir('full', OP)).rejects.toMatchObject({ code: 'not-empty' });
    await top.can.purge?.('full', OP);
    expect(await top.stat('full', OP)).toBeUndefined();
    await expect(top.deleteDir('full', OP)).rejects.toMatchObject({ code: 'directory-not-found' });
  });
});
