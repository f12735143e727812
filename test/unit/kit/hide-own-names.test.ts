import { expect, test } from 'vitest';
import { innermost } from '../../../src/core/around.ts';
import type { Page, Remote } from '../../../src/core/remote.ts';
import { fileList } from '../../../src/filter/file-lists.ts';
import { hideOwnNames, showOwnNames } from '../../../src/kit/hide-own-names.ts';
import { contentsOf, remoteWith } from '../../support/memory-world.ts';

const op = { signal: new AbortController().signal };

const OWN = { '.syncer-guard': 'g', 'd/.syncer-lock': 'l', 'd/.syncer-trash/run/x': 't' };
const FILES = { a: '1', 'd/b': '2', '.syncer-guards': '3', 'x.syncer-trash/c': '4' };

test('no listing has them; their paths reach them', async () => {
  const remote = await remoteWith({ ...FILES, ...OWN });
  const hidden = hideOwnNames(remote);
  expect(Object.keys(await contentsOf(hidden)).sort()).toEqual(Object.keys(FILES).sort());
  expect(await hidden.stat('d/.syncer-lock', op)).toMatchObject({ size: 1 });
  expect(Object.keys(await contentsOf(hidden, 'd/.syncer-trash'))).toEqual([
    'd/.syncer-trash/run/x',
  ]);
  expect(showOwnNames(hidden)).toBe(remote);
  expect(showOwnNames(remote)).toBe(remote);
  expect(innermost(hidden)).toBe(remote);
});

test('listings of whole trees and the failures in them', async () => {
  const paths = Object.keys({ ...FILES, ...OWN });
  const page: Page = {
    entries: paths.map((path) => ({ kind: 'file', path, size: 1 })),
    failed: [{ path: 'd/.syncer-trash', kind: 'dir', error: new Error('x') }],
  };
  const plain = await remoteWith({});
  const dirs = new Map([
    ['', page],
    ['d/.syncer-trash', page],
    ['e', { entries: [] }],
  ]);
  const remote: Remote = Object.assign(Object.create(plain), {
    can: {
      ...plain.can,
      listTreePage: async () => page,
      async *listTreeUnordered() {
        yield page.entries;
      },
      listDirs: async () => dirs,
    },
  });
  const { can } = hideOwnNames(remote);
  const left = { entries: page.entries.slice(0, Object.keys(FILES).length), failed: [] };
  expect(await can.listTreePage?.('', undefined, op)).toEqual(left);
  const unordered = [];
  for await (const entries of can.listTreeUnordered?.('', 4, op) ?? []) unordered.push(...entries);
  expect(unordered).toEqual(left.entries);
  const listed = await can.listDirs?.(op);
  expect([...(listed?.keys() ?? [])]).toEqual(['', 'e']);
  expect(listed?.get('')?.entries).toEqual(
    page.entries.filter(({ path }) => !/(^|\/)\.syncer-(guard|lock)$/.test(path)),
  );
  expect(listed?.get('e')).toBe(dirs.get('e'));
});

test('a watched tree leaves them out', async () => {
  const plain = await remoteWith({});
  const kept: string[] = [];
  const remote: Remote = Object.assign(Object.create(plain), {
    can: {
      watch: async (plan: { keepDir(dir: string): boolean }) => {
        const dirs = ['d', '.syncer-trash', 'd/.syncer-trash/run', '.syncer-lock', 'no'];
        kept.push(...dirs.filter(plan.keepDir));
        return { dirs: 0, assertSameRoot() {} };
      },
    },
  });
  const plan = { keepDir: (dir: string) => dir !== 'no', onChange() {}, onLost() {} };
  await hideOwnNames(remote).can.watch?.(plan, op);
  expect(kept).toEqual(['d', '.syncer-lock']);
});

test("a user's file or directory with the name of the other kind is shown", async () => {
  const theirs = {
    '.syncer-trash': '1',
    'd/.syncer-guard/a': '2',
    '.syncer-lock/.syncer-trash': '3',
  };
  const hidden = hideOwnNames(await remoteWith(theirs));
  expect(Object.keys(await contentsOf(hidden)).sort()).toEqual(Object.keys(theirs).sort());
});

test('lists of files have none', () => {
  const { files, dirs } = fileList([
    'a/b',
    'a/.syncer-guard',
    '.syncer-trash/run/x',
    'c/.syncer-trash',
  ]);
  expect([[...files], [...dirs]]).toEqual([
    ['a/b', 'c/.syncer-trash'],
    ['a', 'c'],
  ]);
});
