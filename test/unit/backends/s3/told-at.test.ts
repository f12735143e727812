import { afterAll, beforeAll, expect, test } from 'vitest';
import { modTimeToMs } from '../../../../src/core/mod-time.ts';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

const MIB = 1024 ** 2;

let s3: TestS3;
let remote: Remote;
beforeAll(async () => {
  s3 = await startTestS3();
  ({ remote } = await openS3(s3, 'bucket', { options: { upload_cutoff: '5Mi' } }));
  await remote.makeDir('', OP);
});
afterAll(async () => {
  await remote.close();
  await s3.stop();
});

/** The answer to `call` tells a time of the server's clock that lies within the call, to the second. */
async function tellsTime(call: () => Promise<FileEntry | undefined>): Promise<FileEntry> {
  const beganMs = Date.now();
  const file = await call();
  const toldMs = modTimeToMs(file?.toldAt ?? 0n);
  expect(toldMs).toBeGreaterThan(beganMs - 1000);
  expect(toldMs).toBeLessThanOrEqual(Date.now());
  if (file === undefined) throw new Error('no file');
  return file;
}

test('everything that tells of an object tells when the store said so', async () => {
  const { can } = remote;
  const small = await tellsTime(() => remote.write(sourceOf('small', 'x'), OP));
  await tellsTime(() => remote.write(sourceOf('large', Buffer.alloc(6 * MIB)), OP));
  expect(s3.log.count('CompleteMultipartUpload')).toBe(1);
  await tellsTime(async () => can.details?.read(small, OP));
  await tellsTime(async () => can.details?.read(small, OP, { onBody: () => {} }));
  const touched = await tellsTime(async () => can.setModTime?.(small, 5n, OP));
  expect(touched).toMatchObject({ modTime: 5n, etag: small.etag });
  expect(touched.storedTime).toBeUndefined();
  const copied = await can.copyFrom?.(remote, touched, 'copy', OP);
  expect(copied?.modTime).toBe(5n);
  expect(copied?.toldAt).toBeUndefined();
});

test('a store is told from others by its place, its account and its names, without a secret', async () => {
  const idOf = async (options: Record<string, string> = {}, root = 'bucket') => {
    const opened = await openS3(s3, root, { options });
    await opened.remote.close();
    return opened.remote.storeId ?? '';
  };
  const id = await idOf();
  expect(await idOf({ list_chunk: '7' }, 'bucket/dir')).toBe(id);
  const others = [
    await idOf({ access_key_id: 'another' }),
    await idOf({ endpoint: s3.endpoint.replace('127.0.0.1', 'localhost') }),
    await idOf({ endpoint: `${s3.endpoint}/base` }),
    await idOf({ encoding: 'Slash,InvalidUtf8' }),
    await idOf({ encoding: 'Slash,Dot' }),
  ];
  expect(new Set([id, ...others]).size).toBe(others.length + 1);
  for (const one of [id, ...others]) expect(one).not.toContain(s3.secretAccessKey);
});

test('the time of an object without one is told as exactly as a listing did, unless it was replaced since', async () => {
  const listed = { kind: 'file', path: 'plain', size: 1, storedTime: 0n, etag: '' } as const;
  await remote.write(sourceOf('plain', 'x'), OP);
  const told = await remote.can.details?.read(listed, OP);
  const { storedTime = 0n, etag = '' } = told ?? {};
  expect(storedTime % 1_000_000_000n).toBe(0n);
  const exact = { ...listed, etag, storedTime: storedTime + 288_000_000n };
  expect(await remote.can.details?.read(exact, OP)).toMatchObject({ storedTime: exact.storedTime });
  const replaced = { ...exact, etag: 'another' };
  expect(await remote.can.details?.read(replaced, OP)).toMatchObject({ storedTime });
  const later = { ...exact, storedTime: storedTime + 1_000_000_000n };
  expect(await remote.can.details?.read(later, OP)).toMatchObject({ storedTime });
});
