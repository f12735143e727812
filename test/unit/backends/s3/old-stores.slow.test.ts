import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { messageOf } from '../../../../src/shell/log/words.ts';
import { startOldStore } from '../../../servers/old-store.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, type OpenedS3, openS3, sourceOf } from '../../../support/open-s3.ts';

// Stores for which the option is set although they do not know checksums, or not all of them.

const MIB = 1024 ** 2;
const LARGE = Buffer.alloc(17 * MIB, 'too large for memory ');
const options = { use_data_integrity_protections: 'true' };

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
  const { remote } = await openS3(s3, 'bucket');
  await remote.makeDir('', OP);
  await remote.close();
});
beforeEach(() => {
  s3.setFaults(undefined);
  s3.log.clear();
});
afterAll(() => s3.stop());

const logs = ({ events }: OpenedS3) =>
  events.flatMap((event) => (event.type === 'log' ? [`${event.level} ${messageOf(event)}`] : []));

describe('a store that refuses trailers', () => {
  it.each([
    [501, 'NotImplemented'],
    [411, 'MissingContentLength'],
    [400, 'XAmzContentSHA256Mismatch'],
    [400, 'InvalidArgument'],
  ])('with %i %s gets the file otherwise, and is not asked again', async (status, code) => {
    s3.setFaults(({ headers }) => ('x-amz-trailer' in headers ? { status, code } : undefined));
    const opened = await openS3(s3, 'bucket', { options });
    let times = 0;
    const source = sourceOf('file', LARGE);
    const open: typeof source.open = (range, op) => {
      if (range === undefined) times++;
      return source.open(range, op);
    };
    const written = await opened.remote.write({ ...source, open }, OP);
    expect(written).toMatchObject({ size: LARGE.length, etag: expect.stringMatching(/-4$/) });
    // It refused before anything of the file was read.
    expect(times).toBe(0);
    await opened.remote.write(sourceOf('file-2', LARGE), OP);
    expect(s3.log.count('PutObject')).toBe(1);
    expect(logs(opened)).toEqual([
      expect.stringMatching(/^debug The S3 server does not support trail/),
    ]);
    for (const request of s3.log.requests) {
      if (request.operation !== 'UploadPart') continue;
      expect(request.headers).toHaveProperty('x-amz-checksum-crc32');
    }
    await opened.remote.close();
  });

  it('gets a file with its MD5 in one PUT where that can be had', async () => {
    s3.setFaults(({ headers }) => ('x-amz-trailer' in headers ? { status: 501 } : undefined));
    const { remote } = await openS3(s3, 'bucket', { options });
    const { createHash } = await import('node:crypto');
    const md5 = createHash('md5').update(LARGE).digest('hex');
    const written = await remote.write({ ...sourceOf('file', LARGE), hash: async () => md5 }, OP);
    expect(written.etag).toBe(md5);
    await remote.close();
  });

  it('is not tried with a body that can be opened only once', async () => {
    const { remote } = await openS3(s3, 'bucket', { options });
    const open = async () => Readable.from([LARGE], { objectMode: false });
    await remote.write({ ...sourceOf('once', LARGE), seekable: false, open }, OP);
    expect(s3.log.count('PutObject')).toBe(0);
    expect(s3.log.count('UploadPart')).toBe(4);
    await remote.close();
  });

  it('tells a wrong secret as such', async () => {
    const wrong = { ...s3, secretAccessKey: 'WRONG' };
    const { remote } = await openS3(wrong, 'bucket', {
      options: { ...options, no_check_bucket: 'true' },
    });
    await expect(remote.write(sourceOf('file', LARGE), OP)).rejects.toMatchObject({
      code: 'sign-in',
      message: expect.stringContaining('the secret key is wrong'),
    });
    await remote.close();
  });
});

describe('a store that refuses checksums', () => {
  it('gets files without them, after one try', async () => {
    s3.setFaults(({ headers }) => {
      const isUnknown = 'x-amz-checksum-crc32' in headers || 'x-amz-checksum-algorithm' in headers;
      return isUnknown ? { status: 501, code: 'NotImplemented' } : undefined;
    });
    const small = await openS3(s3, 'bucket', { options });
    await small.remote.write(sourceOf('small', 'x'), OP);
    await small.remote.write(sourceOf('small', 'y'), OP);
    expect(s3.log.count('PutObject')).toBe(3);
    expect(logs(small)).toEqual([
      expect.stringMatching(/^debug .* CRC-32 checksums .*: disabled for/),
    ]);
    const inParts = await openS3(s3, 'bucket', { options: { ...options, upload_cutoff: '5Mi' } });
    await inParts.remote.write(sourceOf('parts', LARGE), OP);
    expect(s3.log.count('CreateMultipartUpload')).toBe(2);
    const written = await inParts.remote.write(sourceOf('small', 'z'), OP);
    expect(written.size).toBe(1);
    await small.remote.close();
    await inParts.remote.close();
  });
});

describe('a store that ignores what it does not know', () => {
  it.each([
    ['its ETag shows it', {}],
    ['its size shows it', { tellsNothing: true }],
    ['it never agrees to the headers', { neverAgrees: true }],
  ])('keeps no chunk frames in an object: %s', async (_name, how) => {
    const old = await startOldStore(how);
    const opened = await openS3(old, 'bucket', { options });
    const written = await opened.remote.write(sourceOf('file', LARGE), OP);
    expect(written.size).toBe(LARGE.length);
    expect(old.objects.get('/bucket/file')?.equals(LARGE)).toBe(true);
    expect(old.requests.map(({ method }) => method)).toContain('DELETE');
    await opened.remote.write(sourceOf('file-2', LARGE), OP);
    const trailing = old.requests.filter(({ headers }) => 'x-amz-trailer' in headers);
    expect(trailing.length).toBe(1);
    expect(logs(opened)[0]).toMatch(/trailing checksums \(.*: the stored content differs/);
    await opened.remote.close();
    old.close();
  });

  it('gets parts protected by their MD5', async () => {
    const old = await startOldStore();
    const opened = await openS3(old, 'bucket', { options: { ...options, upload_cutoff: '5Mi' } });
    await opened.remote.write(sourceOf('parts', LARGE), OP);
    expect(old.objects.get('/bucket/parts')?.equals(LARGE)).toBe(true);
    for (const { url, headers } of old.requests) {
      if (url?.includes('partNumber') !== true) continue;
      expect(headers).toHaveProperty('content-md5');
      expect(headers).not.toHaveProperty('x-amz-checksum-crc32');
    }
    // What was begun with a wish for checksums is not gone on with.
    const begun = old.requests.filter(({ url }) => url?.endsWith('?uploads=') === true);
    expect(begun.map(({ headers }) => headers['x-amz-checksum-algorithm'])).toEqual([
      'CRC32',
      undefined,
    ]);
    expect(old.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    expect(logs(opened)).toEqual([expect.stringContaining('it ignores them')]);
    await opened.remote.close();
    old.close();
  });

  it('gets no chunks and no checksums unless the option is set, and is asked what it knows', async () => {
    const old = await startOldStore();
    for (const provider of ['Other', 'AWS', 'Minio']) {
      const { remote } = await openS3(old, 'bucket', { options: { provider } });
      await remote.write(sourceOf(provider, LARGE), OP);
      expect(old.objects.get(`/bucket/${provider}`)?.equals(LARGE)).toBe(true);
      await remote.close();
    }
    const asked = ['x-amz-checksum-algorithm', 'x-amz-checksum-type'];
    for (const { url, headers } of old.requests) {
      const found = Object.keys(headers).filter((name) => /trailer|checksum|expect/.test(name));
      if (found.length > 0) expect([url?.endsWith('?uploads='), found]).toEqual([true, asked]);
    }
    old.close();
  });
});

describe('an object that another program left with its transfer encoding', () => {
  it('is told, and written again, without it', async () => {
    const { remote } = await openS3(s3, 'bucket');
    const metadata = { 'content-encoding': 'gzip' };
    await remote.write({ ...sourceOf('left', 'x'), metadata }, OP);
    const file = (await remote.stat('left', OP)) as FileEntry;
    expect(file.metadata?.['content-encoding']).toBe('gzip');
    const { entryMetadata } = await import('../../../../src/backends/s3/objects/object-entry.ts');
    const { headersToKeep } = await import('../../../../src/backends/s3/upload/write-headers.ts');
    expect(headersToKeep({ 'content-encoding': 'aws-chunked' })).toEqual({});
    expect(headersToKeep({ 'content-encoding': 'aws-chunked, gzip' })).toEqual({
      'content-encoding': 'gzip',
    });
    expect(entryMetadata({ 'content-encoding': 'aws-chunked,' })).toEqual({});
    await remote.close();
  });
});
