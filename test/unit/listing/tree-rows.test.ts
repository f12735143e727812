import { expect, test } from 'vitest';
import { sortTree, treeOrder } from '../../../commands/list/tree.ts';
import type { MemoryOptions } from '../../../src/backends/memory/memory-remote.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import type { Remote } from '../../../src/core/remote.ts';
import { buildFilter } from '../../../src/filter/build-filter.ts';
import type { Walk } from '../../../src/listing/kept-entries.ts';
import {
  type ArrangeDir,
  rowsOfTree,
  TreeBuilder,
  type TreeRow,
} from '../../../src/listing/tree-rows.ts';
import { walkRows, walkTree } from '../../../src/listing/walk-tree.ts';
import { remoteBut, remoteWith } from '../../support/memory-world.ts';

const FILES = Object.fromEntries(
  'a-b a.txt a/in a/deep/x a/deep/y b/d/e/f b/d/e-f b/d.txt z z!/1 z!/2'
    .split(' ')
    .map((path) => [path, path]),
);

async function walkOf(remote: Remote, errors: string[] = [], depth?: number): Promise<Walk> {
  return {
    remote,
    filter: await buildFilter({}, async () => '', 0),
    op: { signal: new AbortController().signal },
    want: 'all',
    byDirectory: true,
    atOnce: 3,
    emit: () => undefined,
    onError: (thrown, dir) => errors.push(`${dir}: ${(thrown as Error).message}`),
    ...(depth === undefined ? {} : { maxDepth: depth }),
  };
}

const asListed: ArrangeDir = (pages) => pages;

async function rowsOf(walk: Walk, arrange = asListed): Promise<readonly TreeRow[]> {
  const rows: TreeRow[] = [];
  for await (const batch of walkRows(walk, arrange) ?? []) rows.push(...batch);
  return rows;
}

const shown = (rows: Iterable<TreeRow>) =>
  [...rows].map(({ entry, depth, isLast }) => [entry.kind, entry.path, depth, isLast]);

test.each([
  { onDisk: true },
  { sorted: false },
  { emptyDirs: false, slowModTime: true },
  { emptyDirs: false, pageSize: 1 },
  { pageSize: 2 },
] satisfies (MemoryOptions & { onDisk?: boolean })[])(
  'the rows are those of the whole tree in memory: %j',
  async (options) => {
    for (const depth of [undefined, 1, 2]) {
      const walk = await walkOf(await remoteWith(FILES, options), [], depth);
      const tree = new TreeBuilder();
      for await (const page of walkTree(walk)) for (const entry of page) tree.add(entry);
      sortTree(tree.root, treeOrder('name', { reverse: false, dirSize: -1, now: 0n }));
      expect(shown(await rowsOf(walk))).toEqual(shown(rowsOfTree(tree.root)));
    }
  },
);

test('entries that are dropped are not last, and nothing in them is listed', async () => {
  const listed: string[] = [];
  const remote = await remoteWith({ 'a/x': '', b: '', 'c/y': '' });
  const watched = remoteBut(remote, {
    traits: { ...remote.traits, onDisk: true },
    listPage: (dir, cursor, op) => {
      listed.push(dir);
      return remote.listPage(dir, cursor, op);
    },
  });
  const withoutC: ArrangeDir = async function* (pages) {
    for await (const page of pages) yield page.filter(({ path }) => path !== 'c');
  };
  expect(shown(await rowsOf(await walkOf(watched), withoutC))).toEqual([
    ['dir', '', 0, true],
    ['dir', 'a', 1, false],
    ['file', 'a/x', 2, true],
    ['file', 'b', 1, true],
  ]);
  expect(listed).toEqual(['', 'a']);
});

test('a directory that cannot be listed is reported, and the others follow', async () => {
  const remote = await remoteWith(FILES);
  const errors: string[] = [];
  const broken = remoteBut(remote, {
    listPage: async (dir, cursor, op) => {
      if (dir === 'a' || dir === 'b/d') throw new SyncerError('unreadable', 'permission denied');
      return remote.listPage(dir, cursor, op);
    },
  });
  const rows = await rowsOf(await walkOf(broken, errors));
  expect(rows.map(({ entry }) => entry.path)).toEqual(
    ' a a-b a.txt b b/d b/d.txt z z! z!/1 z!/2'.split(' '),
  );
  expect(errors).toEqual(['a: permission denied', 'b/d: permission denied']);
  const gone = await remoteWith({}, { root: 'nowhere' });
  await expect(rowsOf(await walkOf(gone))).rejects.toMatchObject({ code: 'directory-not-found' });
});

test('of a large directory a few pages are read before their rows are taken', async () => {
  const files = Array.from({ length: 5000 }, (_, i) => [`f${i + 10_000}`, '']);
  const remote = await remoteWith(Object.fromEntries(files), { pageSize: 500 });
  let pages = 0;
  const counted = remoteBut(remote, {
    listPage: (dir, cursor, op) => {
      pages++;
      return remote.listPage(dir, cursor, op);
    },
  });
  for await (const batch of walkRows(await walkOf(counted), asListed) ?? []) {
    expect(batch.length).toBeLessThan(1600);
    break;
  }
  expect(pages).toBeLessThan(6);
});
