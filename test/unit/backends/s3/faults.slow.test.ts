import { hash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectBody } from '../../../../src/core/body.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { SyncerEvent } from '../../../../src/core/events.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { failFirst } from '../../../servers/fault.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

const MIB = 1024 ** 2;
const LARGE = Buffer.alloc(12 * MIB, 'large');

let s3: TestS3;
let remote: Remote;
let inParts: Remote;
let events: SyncerEvent[];
let file: FileEntry;

beforeAll(async () => {
  s3 = await startTestS3();
  ({ remote, events } = await openS3(s3, 'bucket'));
  ({ remote: inParts } = await openS3(s3, 'bucket', { options: { upload_cutoff: '5Mi' } }));
  file = await remote.write(sourceOf('file', 'content'), OP);
  await remote.write(sourceOf('large', LARGE), OP);
});
beforeEach(() => {
  s3.setFaults(undefined);
  s3.log.clear();
  events.length = 0;
});
afterAll(async () => {
  await remote.close();
  await inParts.close();
  await s3.stop();
});

describe('a request that fails', () => {
  it.each([
    ['an error of the store', { status: 500 }, 'retry'],
    ['throttling', { status: 503, code: 'SlowDown' }, 'throttled'],
    ['too many requests', { status: 429 }, 'throttled'],
    ['a reset before the answer', { reset: 'before' as const }, 'retry'],
    ['a reset after the work was done', { reset: 'after' as const }, 'retry'],
    ['two conditional writes', { status: 409, code: 'ConditionalRequestConflict' }, 'retry'],
    ['a request that timed out at the store', { status: 400, code: 'RequestTimeout' }, 'retry'],
  ])('is tried again after %s', async (_name, fault, why) => {
    s3.setFaults(failFirst('PutObject', 2, fault));
    const written = await remote.write(sourceOf('put', 'x'), OP);
    expect(written.size).toBe(1);
    expect(s3.log.count('PutObject')).toBeGreaterThanOrEqual(3);
    for (const event of events.slice(0, -1)) expect(event).toMatchObject({ type: 'wait', why });
    expect(events.at(-1)).toMatchObject({ code: 'retry-succeeded', fields: { of: 5 } });
  });

  it('counts as done where both answers to the completion of an upload were cut', async () => {
    s3.setFaults(failFirst('CompleteMultipartUpload', 2, { truncate: true, afterBytes: 10 }));
    expect((await inParts.write(sourceOf('cut', LARGE), OP)).size).toBe(LARGE.length);
    expect(s3.log.count('CompleteMultipartUpload')).toBe(3);
  });

  it('waits as long as the store asks', async () => {
    s3.setFaults(failFirst('ListObjectsV2', 1, { status: 503, retryAfter: 30 }));
    expect((await remote.listPage('', undefined, OP)).entries.length).toBeGreaterThan(0);
    expect(events).toEqual([
      {
        ...{ type: 'wait', why: 'throttled', ms: 30_000, what: 'list bucket bucket' },
        error: expect.objectContaining({ code: 'throttled' }),
      },
      expect.objectContaining({ code: 'retry-succeeded' }),
    ]);
  });

  it('is given up after the tries that are allowed', async () => {
    s3.setFaults(() => ({ status: 503, code: 'SlowDown' }));
    await expect(deleteOne(remote, file, OP)).rejects.toMatchObject({
      code: 'throttled',
      message: expect.stringMatching(/^cannot delete bucket\/file: .*\(SlowDown\)$/),
    });
    expect(s3.log.count('DeleteObject')).toBe(5);
  });

  it('is not repeated where that cannot help', async () => {
    s3.setFaults(() => ({ status: 403, code: 'AccessDenied' }));
    await expect(remote.write(sourceOf('put', 'x'), OP)).rejects.toMatchObject({
      code: 'access-denied',
    });
    expect(s3.log.count()).toBe(1);
  });

  it('ends at once when the run is aborted', async () => {
    s3.setFaults(() => ({ hang: 'before' }));
    const controller = new AbortController();
    const reason = new SyncerError('interrupted', 'stop');
    const listing = remote.listPage('', undefined, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 50);
    await expect(listing).rejects.toBe(reason);
  });

  it('times out where the server is silent', async () => {
    s3.setFaults(() => ({ hang: 'before' }));
    const transport = { timeoutMs: 100, lowLevelRetries: 2 };
    const { remote: hasty } = await openS3(s3, 'bucket', { transport });
    await expect(hasty.listPage('', undefined, OP)).rejects.toMatchObject({
      code: 'timed-out',
      message: expect.stringContaining('no data from 127.0.0.1:'),
    });
    expect(s3.log.count('ListObjectsV2')).toBe(2);
    await hasty.close();
  });
});

describe('a body that breaks', () => {
  const read = async (path: string) => {
    const entry = (await remote.stat(path, OP)) as FileEntry;
    return collectBody(await remote.read(entry, undefined, OP), OP.signal);
  };

  it.each([
    ['is reset', { reset: 'in-body' as const, afterBytes: 3 }],
    ['is cut', { truncate: true as const, afterBytes: 3 }],
  ])('is read again where it is small and %s', async (_name, fault) => {
    s3.setFaults(failFirst('GetObject', 1, fault));
    expect(String(await read('file'))).toBe('content');
    expect(s3.log.count('GetObject')).toBe(2);
  });

  it.each([
    ['is reset', { reset: 'in-body' as const, afterBytes: 5 * MIB }],
    ['is cut', { truncate: true as const, afterBytes: 5 * MIB }],
  ])('fails the stream where it is large and %s', async (_name, fault) => {
    s3.setFaults(failFirst('GetObject', 1, fault));
    await expect(read('large')).rejects.toMatchObject({ code: 'body-cut' });
    expect((await read('large')).equals(LARGE)).toBe(true);
  });

  it('fails the stream where it hangs', async () => {
    s3.setFaults(() => ({ hang: 'in-body', afterBytes: MIB }));
    const { remote: hasty } = await openS3(s3, 'bucket', { transport: { timeoutMs: 100 } });
    const entry: FileEntry = { kind: 'file', path: 'large', size: LARGE.length };
    const reading = async () => collectBody(await hasty.read(entry, undefined, OP), OP.signal);
    await expect(reading()).rejects.toMatchObject({ code: 'timed-out' });
    await hasty.close();
  });

  it('is not given up because the reader is slow', async () => {
    const { remote: hasty } = await openS3(s3, 'bucket', { transport: { timeoutMs: 100 } });
    const entry = (await hasty.stat('large', OP)) as FileEntry;
    const body = await hasty.read(entry, undefined, OP);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect((await collectBody(body, OP.signal)).equals(LARGE)).toBe(true);
    await hasty.close();
  });

  it('never counts as an empty listing', async () => {
    s3.setFaults(() => ({ truncate: true, afterBytes: 100 }));
    await expect(remote.listPage('', undefined, OP)).rejects.toMatchObject({ code: 'body-cut' });
  });
});

describe('an upload in parts', () => {
  const uploads = async () => {
    s3.setFaults(undefined);
    await inParts.can.cleanUp?.(-60_000, OP);
    return s3.log.count('AbortMultipartUpload');
  };

  it('survives failures of every request of it', async () => {
    s3.setFaults((_request, n) => (n === 0 ? { reset: 'before' } : undefined));
    const written = await inParts.write(sourceOf('parts-1', LARGE), OP);
    expect(written.etag).toMatch(/-3$/);
  });

  it.each(['new', 'used'])(
    'a conditional write whose answer is lost on a %s connection is done; of another object it is refused',
    async (connection) => {
      const { remote: own } = await openS3(s3, 'bucket');
      if (connection === 'used') await own.stat('file', OP);
      const write = (text: string) =>
        own.write({ ...sourceOf(`own-${connection}`, text), replaces: 'nothing' }, OP);
      s3.setFaults(failFirst('PutObject', 1, { reset: 'after' }));
      const { etag } = await write('content');
      expect(s3.log.count('PutObject')).toBe(2);
      expect(await own.stat(`own-${connection}`, OP)).toMatchObject({ etag });
      s3.setFaults(failFirst('PutObject', 1, { reset: 'before' }));
      await expect(write('other')).rejects.toMatchObject({ code: 'precondition-failed' });
      s3.setFaults(undefined);
      await expect(write('content')).rejects.toMatchObject({ code: 'precondition-failed' });
      await own.close();
    },
  );

  it.each(['trailer', 'MD5'])(
    'a conditional write of a stream with its %s whose answer is lost is done; of another object it fails',
    async (how) => {
      const content = Buffer.alloc(17 * MIB, how);
      const source = (body: Buffer, replaces: FileEntry | 'nothing') => ({
        ...sourceOf(`stream-${how}`, body),
        ...(how === 'MD5' ? { hashes: { md5: hash('md5', body, 'hex') } } : {}),
        replaces,
      });
      const options = { use_data_integrity_protections: 'true' };
      const { remote: own } = await openS3(s3, 'bucket', { options });
      const write = (...args: Parameters<typeof source>) => own.write(source(...args), OP);
      s3.setFaults(failFirst('PutObject', 1, { reset: 'after' }));
      const first = await write(content, 'nothing');
      expect(s3.log.count('PutObject')).toBe(1);
      expect(await remote.stat(first.path, OP)).toMatchObject({ etag: first.etag });
      s3.setFaults(failFirst('PutObject', 1, { reset: 'after' }));
      const other = await write(Buffer.alloc(17 * MIB, 'other'), first);
      expect(other.etag).not.toBe(first.etag);
      s3.setFaults(failFirst('PutObject', 1, { reset: 'before' }));
      await expect(write(content, other)).rejects.toMatchObject({ code: 'network' });
      await own.close();
    },
  );

  it('survives a completion whose answer is lost', async () => {
    s3.setFaults(failFirst('CompleteMultipartUpload', 1, { reset: 'after' }));
    const written = await inParts.write(sourceOf('parts-2', LARGE), OP);
    expect(written.etag).toMatch(/-3$/);
    expect(s3.log.count('CompleteMultipartUpload')).toBe(2);
  });

  it('knows its object where a repeated completion does not meet its condition; of another time it is refused', async () => {
    const write = (modTime: bigint) =>
      inParts.write({ ...sourceOf('parts-5', LARGE), modTime, replaces: 'nothing' }, OP);
    const repeated = (first: 'before' | 'after') => {
      let n = 0;
      s3.setFaults(({ operation }) => {
        if (operation !== 'CompleteMultipartUpload') return undefined;
        return n++ === 0 ? { reset: first } : { status: 412, code: 'PreconditionFailed' };
      });
    };
    repeated('after');
    const { etag } = await write(1_000_000_000n);
    expect(await inParts.stat('parts-5', OP)).toMatchObject({ etag, modTime: 1_000_000_000n });
    repeated('before');
    await expect(write(2_000_000_000n)).rejects.toMatchObject({ code: 'precondition-failed' });
  });

  it('leaves nothing when a part fails for good', async () => {
    s3.setFaults(({ operation, query }) =>
      operation === 'UploadPart' && query.get('partNumber') === '2'
        ? { status: 403, code: 'AccessDenied' }
        : undefined,
    );
    await expect(inParts.write(sourceOf('parts-3', LARGE), OP)).rejects.toMatchObject({
      code: 'access-denied',
    });
    expect(s3.log.count('AbortMultipartUpload')).toBe(1);
    expect(await uploads()).toBe(1);
    expect(await inParts.stat('parts-3', OP)).toBeUndefined();
  });

  it('that cannot be aborted is named in the log', async () => {
    const { remote: own, events: told } = await openS3(s3, 'bucket', {
      options: { upload_cutoff: '5Mi' },
    });
    s3.setFaults(({ operation }) =>
      operation === 'UploadPart' || operation === 'AbortMultipartUpload'
        ? { status: 403, code: 'AccessDenied' }
        : undefined,
    );
    await expect(own.write(sourceOf('left', LARGE), OP)).rejects.toThrow(/access denied/);
    const left = { type: 'log', level: 'notice', path: 'bucket/left', code: 'upload-left' };
    expect(told).toContainEqual(
      expect.objectContaining({
        ...left,
        fields: { why: expect.any(SyncerError), place: 'test:bucket/left' },
      }),
    );
    expect(await uploads()).toBeGreaterThan(0);
  });

  it('leaves nothing when it is aborted', async () => {
    const controller = new AbortController();
    const reason = new SyncerError('interrupted', 'stop');
    s3.setFaults(({ operation }, n) => {
      if (operation === 'UploadPart' && n === 1) controller.abort(reason);
      return undefined;
    });
    const op = { signal: controller.signal };
    await expect(inParts.write(sourceOf('parts-4', LARGE), op)).rejects.toBe(reason);
    expect(s3.log.count('AbortMultipartUpload')).toBe(1);
    expect(await uploads()).toBe(1);
  });

  it('leaves nothing when it is aborted while it is begun', async () => {
    s3.setFaults(failFirst('CreateMultipartUpload', 1, { latencyMs: 300 }));
    const controller = new AbortController();
    const writing = inParts.write(sourceOf('begun', LARGE), { signal: controller.signal });
    while (s3.log.count('CreateMultipartUpload') === 0) await new Promise(setImmediate);
    controller.abort(new SyncerError('interrupted', 'enough'));
    await expect(writing).rejects.toMatchObject({ code: 'interrupted' });
    expect(s3.log.count('AbortMultipartUpload')).toBe(1);
    expect(s3.log.count('UploadPart')).toBe(0);
  });

  it('can be left for a manual rescue, and is cleaned up later', async () => {
    const options = { upload_cutoff: '5Mi', leave_parts_on_error: 'true' };
    const { remote: leaving } = await openS3(s3, 'bucket', { options });
    s3.setFaults(({ operation }) =>
      operation === 'CompleteMultipartUpload' ? { status: 403, code: 'AccessDenied' } : undefined,
    );
    await expect(leaving.write(sourceOf('parts-5', LARGE), OP)).rejects.toThrow(/access denied/);
    expect(s3.log.count('AbortMultipartUpload')).toBe(0);
    s3.setFaults(undefined);
    await remote.can.cleanUp?.(3_600_000, OP);
    expect(s3.log.count('AbortMultipartUpload')).toBe(0);
    expect(await uploads()).toBe(1);
  });
});
