import { expect, test } from 'vitest';
import type { Entry, Page, Remote } from '../../../src/core/remote.ts';
import { flatListed } from '../../../src/engine/tree-listed.ts';
import { type Filter, passAllFilter } from '../../../src/filter/filter.ts';
import { contentsOf, remoteWith, runOnce } from '../../support/memory-world.ts';

const op = { signal: new AbortController().signal };
const bucket = { emptyDirs: false, pageSize: 2 };

async function listed(remote: Remote, filter: Filter = passAllFilter) {
  const found: Entry[] = [];
  const failed: string[] = [];
  let cursor: string | undefined;
  const flat = flatListed(remote, 'source', filter);
  do {
    const page = await flat.listPage('', cursor, op);
    found.push(...page.entries);
    failed.push(...(page.failed ?? []).map(({ path }) => path));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { paths: found.map(({ path }) => path), failed };
}

/** The remote whose tree is listed as these entries. */
async function listing(entries: readonly Entry[]): Promise<Remote> {
  const remote = await remoteWith({}, bucket);
  const listTreePage = async (): Promise<Page> => ({ entries });
  return { ...remote, can: { ...remote.can, listTreePage } };
}

test('all files come in one directory, by whole path', async () => {
  const remote = await remoteWith({ 'a/b/c': '1', 'a-b': '2', 'a/x': '3', z: '4' }, bucket);
  expect(await listed(remote)).toEqual({ paths: ['a-b', 'a/b/c', 'a/x', 'z'], failed: [] });
});

test('excluded directories and files that are too deep are left out', async () => {
  const remote = await remoteWith({ 'a/b/c': '1', 'a/x': '3', 'n/y': '4', z: '5' }, bucket);
  const keepDir = (path: string) => path !== 'n';
  const filter = { ...passAllFilter, passesAll: false, keepDir, maxDepth: 2 };
  expect((await listed(remote, filter)).paths).toEqual(['a/x', 'z']);
});

test('objects without a name fail, and markers of directories are none', async () => {
  const file = (path: string) => ({ kind: 'file', path, size: 1 }) as const;
  const remote = await listing([{ kind: 'dir', path: 'a' }, file('a//b'), file('a/c')]);
  expect(await listed(remote)).toEqual({ paths: ['a/c'], failed: ['a//b'] });
});

test('a bucket that vanishes between two pages is an error', async () => {
  const remote = await remoteWith({ a: '1', b: '2', c: '3' }, bucket);
  const flat = flatListed(remote, 'source', passAllFilter);
  const { cursor } = await flat.listPage('', undefined, op);
  const { SyncerError } = await import('../../../src/core/errors.ts');
  const gone = { ...remote.can, listTreePage: () => Promise.reject(gone404) };
  const gone404 = new SyncerError('bucket-not-found', 'no such bucket');
  const after = flatListed({ ...remote, can: gone }, 'source', passAllFilter);
  await expect(after.listPage('', cursor, op)).rejects.toMatchObject({ code: 'vanished' });
  await expect(after.listPage('', undefined, op)).rejects.toMatchObject({
    code: 'bucket-not-found',
  });
});

test('sync with --fast-list between object stores lists each side once, and deletes extra files', async () => {
  const source = await remoteWith({ 'a/b': '1', 'a.b': '2', c: '3', 'd/é': '4' }, bucket);
  const files = { 'a/b': '1', 'x/y': 'gone', c: 'old', 'd/e\u0301': '4' };
  const dest = await remoteWith(files, bucket);
  const refused = () => Promise.reject(new Error('listed by directory'));
  const { error } = await runOnce(
    'sync',
    { ...source, listPage: refused },
    { ...dest, listPage: refused },
    { fastList: true, checkers: 2, deletes: 'after' },
  );
  expect(error).toBeUndefined();
  const found = Object.keys(await contentsOf(dest));
  expect(found.sort()).toEqual(['a.b', 'a/b', 'c', 'd/e\u0301']);
});
