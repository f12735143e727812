import { expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Op, Page, Remote } from '../../../src/core/remote.ts';
import { treeListed } from '../../../src/engine/tree-listed.ts';
import { contentsOf, remoteWith, runOnce } from '../../support/memory-world.ts';

const op = { signal: new AbortController().signal };

/** The remote with a listing of the whole tree in pages of two, and how often it was asked. */
async function countedRemote(paths: readonly string[]) {
  const remote = await remoteWith({}, { emptyDirs: false });
  const asked: (string | undefined)[] = [];
  const files = paths.map((path) => ({ kind: 'file', path, size: 1, modTime: 0n }) as const);
  const listTreePage = async (_dir: string, cursor: string | undefined): Promise<Page> => {
    asked.push(cursor);
    const from = Number(cursor ?? 0);
    const next = from + 2;
    return {
      entries: files.slice(from, next),
      ...(next < files.length ? { cursor: String(next) } : {}),
    };
  };
  const counted: Remote = Object.assign(Object.create(remote), {
    can: { ...remote.can, listTreePage },
    traits: { ...remote.traits, emptyDirs: false },
  });
  return { counted, asked };
}

test('one listing answers for every directory, sorted', async () => {
  const { counted, asked } = await countedRemote(['a.b', 'a/b/c', 'a/x', 'b//c', '/d', 'z']);
  const listed = treeListed(counted);
  const names = async (dir: string) =>
    (await listed.listPage(dir, undefined, op)).entries.map(({ kind, path }) => `${kind} ${path}`);
  expect(await names('')).toEqual(['file a.b', 'dir a', 'dir b', 'file z']);
  expect(await names('a')).toEqual(['dir a/b', 'file a/x']);
  expect(await names('a/b')).toEqual(['file a/b/c']);
  expect(await names('b')).toEqual([]);
  expect(await names('none')).toEqual([]);
  expect(asked).toEqual([undefined, '2', '4']);
});

test('objects without a name fail in the directory that they would be in', async () => {
  const paths = ['/a', 'b/', 'c//d/e', 'c/f/', 'c/f//', 'ok', '/'];
  const { counted } = await countedRemote(paths);
  const listed = treeListed(counted);
  const failedIn = async (dir: string) =>
    (await listed.listPage(dir, undefined, op)).failed?.map(({ path }) => path);
  expect(await failedIn('')).toEqual(['/a', '/']);
  expect(await failedIn('b')).toEqual(['b/']);
  expect(await failedIn('c')).toEqual(['c//d/e']);
  expect(await failedIn('c/f')).toEqual(['c/f/', 'c/f//']);
});

test('a store that cannot list a tree, or has empty directories, stays as it is', async () => {
  const { counted } = await countedRemote([]);
  const withDirs = Object.assign(Object.create(counted), {
    traits: { ...counted.traits, emptyDirs: true },
  });
  expect(treeListed(withDirs)).toBe(withDirs);
  const { listTreePage: _without, ...can } = counted.can;
  const without = Object.assign(Object.create(counted), { can });
  expect(treeListed(without)).toBe(without);
});

test('a listing that breaks off fails every directory', async () => {
  const { counted } = await countedRemote([]);
  const listTreePage = () => Promise.reject(new Error('broken'));
  const broken = treeListed(
    Object.assign(Object.create(counted), { can: { ...counted.can, listTreePage } }),
  );
  await expect(broken.listPage('', undefined, op)).rejects.toThrow('broken');
  await expect(broken.listPage('a', undefined, op)).rejects.toThrow('broken');
});

test('sync with --fast-list does what it does without', async () => {
  const files = { 'a/b': '1', 'a.b': '2', c: '3' };
  const dest = await remoteWith({ 'x/y': 'gone' }, { emptyDirs: false });
  const source = await remoteWith(files, { emptyDirs: false });
  const { error } = await runOnce('sync', source, dest, { fastList: true });
  expect(error).toBeUndefined();
  expect(await contentsOf(dest)).toEqual(await contentsOf(source));
});

test('what is missing after the first page was there before', async () => {
  const { counted } = await countedRemote(['a', 'b', 'c']);
  const { listTreePage } = counted.can;
  const gone = new SyncerError('bucket-not-found', 'no such bucket');
  const can = {
    ...counted.can,
    listTreePage: async (dir: string, cursor: string | undefined, op: Op) => {
      if (cursor !== undefined) throw gone;
      return listTreePage?.(dir, cursor, op) as Promise<Page>;
    },
  };
  const listed = treeListed(Object.assign(Object.create(counted), { can }));
  await expect(listed.listPage('', undefined, op)).rejects.toMatchObject({ code: 'vanished' });
});
