import { setTimeout } from 'node:timers/promises';
import { PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  keyOfVersion,
  shownVersions,
  versionKey,
} from '../../../../../src/backends/s3/listing/shown-versions.ts';
import { modTimeToMs } from '../../../../../src/core/mod-time.ts';
import type { FileEntry, Remote } from '../../../../../src/core/remote.ts';
import { deleteOne } from '../../../../../src/core/remote-calls.ts';
import { sdkClient } from '../../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../../support/open-s3.ts';

const MS = Date.parse('2026-11-20T10:30:05.123Z');

test.each([
  ['a.txt', 'a-v2026-11-20-103005-123.txt'],
  ['d.x/a', 'd.x/a-v2026-11-20-103005-123'],
  ['a.tar.gz', 'a.tar-v2026-11-20-103005-123.gz'],
  ['.hidden', '.hidden-v2026-11-20-103005-123'],
  ['d/.hidden', 'd/-v2026-11-20-103005-123.hidden'],
])('%s is named as in rclone', (key, named) => {
  expect(versionKey(key, MS)).toBe(named);
  expect(keyOfVersion(named)).toBe(key);
});

test.each(['a.txt', 'a-v2026-13-20-103005-123.txt', 'a-v2026-11-20.txt'])(
  '%s is no name of a version',
  (name) => expect(keyOfVersion(name)).toBeUndefined(),
);

test('two versions of one moment have two names, the newer one the later', () => {
  const of = (id: string, kind: 'current' | 'old') => {
    return { key: 'a', id, kind, size: 1, etag: '', storageClass: '', modifiedMs: MS };
  };
  const listed = [of('3', 'current'), of('2', 'old'), of('1', 'old')];
  const named = (versionsOldestFirst: boolean) =>
    shownVersions(listed, {
      ...{ versions: true, versionAtMs: undefined, versionDeleted: false },
      versionsOldestFirst,
    }).map(({ key, version }) => `${version.id} ${key.slice(-4)}`);
  expect(named(false)).toEqual(['1 -123', '2 -124', '3 a']);
  expect(named(true)).toEqual(['3 a', '2 -123', '1 -124']);
});

describe('a bucket with versions', () => {
  let s3: TestS3;
  /** The times of the versions of each key, oldest first. */
  const times: Record<string, number[]> = {};
  const opened: Remote[] = [];
  const opening = async (options: Record<string, string>) => {
    const { remote } = await openS3(s3, 'bucket', { options });
    opened.push(remote);
    return remote;
  };
  const listed = async (remote: Remote, dir = '') =>
    (await remote.listPage(dir, undefined, OP)).entries.map(({ path }) => path);
  const find = async (remote: Remote, path: string) => (await remote.stat(path, OP)) as FileEntry;
  const text = async (remote: Remote, path: string) =>
    String(await remote.read(await find(remote, path), undefined, OP));
  const named = (key: string, at: number) => versionKey(key, times[key]?.[at] ?? 0);
  const timeOf = (key: string, at: number) => new Date(times[key]?.[at] ?? 0).toISOString();

  beforeAll(async () => {
    s3 = await startTestS3();
    const remote = await opening({});
    await remote.makeDir('', OP);
    const client = sdkClient(s3);
    const versioned = { Bucket: 'bucket', VersioningConfiguration: { Status: 'Enabled' } as const };
    await client.send(new PutBucketVersioningCommand(versioned));
    client.destroy();
    for (const content of ['1', '22', '333']) {
      await remote.write(sourceOf('dir/a.txt', content), OP);
      await setTimeout(5);
    }
    await remote.write(sourceOf('gone/b', 'bb'), OP);
    await setTimeout(5);
    await deleteOne(remote, await find(remote, 'gone/b'), OP);
    for await (const page of remote.can.listKept?.('', OP) ?? []) {
      for (const { path, modTime = 0n } of page) {
        times[path] = [...(times[path] ?? []), modTimeToMs(modTime)].sort((a, b) => a - b);
      }
    }
  });
  afterAll(async () => {
    for (const remote of opened) await remote.close();
    await s3.stop();
  });

  test('are listed and read by their names', async () => {
    const remote = await opening({ versions: 'true' });
    expect(await listed(remote)).toEqual(['dir', 'gone']);
    const old = [named('dir/a.txt', 0), named('dir/a.txt', 1)];
    expect(await listed(remote, 'dir')).toEqual([...old, 'dir/a.txt']);
    expect(await text(remote, old[1] ?? '')).toBe('22');
    expect(await find(remote, 'dir/a-v2026-11-20-100101-000.txt')).toBeUndefined();
    const { entries } = await remote.listPage('gone', undefined, OP);
    const details = await remote.can.details?.read(entries[0] as FileEntry, OP);
    expect(details).toMatchObject({ size: 2, modTime: sourceOf('', '').modTime });
  });

  test('of a time are as they were, and cannot be changed', async () => {
    const remote = await opening({ version_at: timeOf('gone/b', 0) });
    expect(await listed(remote, 'gone')).toEqual(['gone/b']);
    expect(await text(remote, 'gone/b')).toBe('bb');
    const earlier = await opening({ version_at: timeOf('dir/a.txt', 1) });
    expect(await text(earlier, 'dir/a.txt')).toBe('22');
    expect(await earlier.stat('gone/b', OP)).toBeUndefined();
    const file = await find(remote, 'gone/b');
    const why = { code: 'read-only' };
    await expect(remote.write(sourceOf('new', ''), OP)).rejects.toMatchObject(why);
    await expect(deleteOne(remote, file, OP)).rejects.toMatchObject(why);
    await expect(remote.can.purge?.('gone', OP)).rejects.toMatchObject(why);
    const target = await opening({});
    await target.can.copyFrom?.(remote, file, 'copied', OP);
    expect(await text(target, 'copied')).toBe('bb');
  });

  test('are restored, deleted one by one, and with their markers', async () => {
    const remote = await opening({ versions: 'true', version_deleted: 'true' });
    const plain = await opening({});
    const old = await find(remote, named('dir/a.txt', 0));
    const touching = remote.can.setModTime?.(old, 0n, OP);
    await expect(touching).rejects.toMatchObject({ code: 'unsupported' });
    await remote.can.copyFrom?.(remote, old, 'dir/a.txt', OP);
    expect(await text(plain, 'dir/a.txt')).toBe('1');
    await deleteOne(remote, await find(remote, 'dir/a.txt'), OP);
    expect(await text(plain, 'dir/a.txt')).toBe('333');
    const marker = await find(remote, named('gone/b', 1));
    expect(marker).toMatchObject({ size: 0, kept: { kind: 'marker' } });
    const reading = remote.read(marker, undefined, OP);
    await expect(reading).rejects.toMatchObject({ code: 'file-not-found' });
    await deleteOne(remote, marker, OP);
    expect(await text(plain, 'gone/b')).toBe('bb');
    await remote.can.purge?.('dir', OP);
    expect(await remote.stat('dir', OP)).toBeUndefined();
  });
});
