import { describe, expect, test } from 'vitest';
import { type Scanned, scanTree } from '../../../../commands/ncdu/scan-tree.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { buildFilter } from '../../../../src/filter/build-filter.ts';
import { type Filter, passAllFilter } from '../../../../src/filter/filter.ts';
import { ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { remoteBut, remoteWith } from '../../../support/memory-world.ts';
import { treePaths } from '../../size-tree/tree-model.ts';

const op = { signal: new AbortController().signal };
const FILES = { 'a/x': 'xx', 'a/b/y': 'yyy', 'c/z.log': 'zzzz', top: '1', 'empty/': '' };
const ALL = { 'a/': 5, 'a/x': 2, 'a/b/': 3, 'a/b/y': 3, 'c/': 4, 'c/z.log': 4, top: 1 };

function scanned(remote: Remote, filter: Filter = passAllFilter): Scanned {
  return { remote, filter, atOnce: 4, tree: new SizeTree() };
}

const filterOf = (options: Parameters<typeof buildFilter>[0]) =>
  buildFilter(options, async () => '', 0);

/** As an object store lists: flat, and without directories that hold nothing. */
function flat(remote: Remote): Remote {
  const listTreePage: NonNullable<Remote['can']['listTreePage']> = async (dir) => {
    const entries = [];
    for (const path of Object.keys(FILES)) {
      const isBelow = dir === '' || path.startsWith(`${dir}/`);
      const entry = isBelow && !path.endsWith('/') ? await remote.stat(path, op) : undefined;
      if (entry !== undefined) entries.push(entry);
    }
    return { entries };
  };
  const { listTreeUnordered: _, ...can } = remote.can;
  return remoteBut(remote, {
    traits: { ...remote.traits, emptyDirs: false },
    can: { ...can, listTreePage },
  });
}

describe('a scan', () => {
  test('directory by directory', async () => {
    const scan = scanned(await remoteWith(FILES));
    await scanTree(scan, { into: ROOT, path: '' }, op);
    expect(treePaths(scan.tree)).toEqual({ ...ALL, 'empty/': 0 });
    for (const node of scan.tree.children(ROOT)) {
      if (scan.tree.isDir(node)) expect(scan.tree.isListed(node)).toBe(true);
    }
  });

  test('with --fast-list in one listing, which the next scan makes again', async () => {
    const memory = await remoteWith(FILES);
    const listed: string[] = [];
    const listDirs = async () => {
      listed.push('all');
      const dirs = ['', 'a', 'a/b', 'c', 'empty'];
      const pages = dirs.map(
        async (dir) => [dir, await memory.listPage(dir, undefined, op)] as const,
      );
      return new Map(await Promise.all(pages));
    };
    const remote = remoteBut(memory, {
      can: { ...memory.can, listDirs },
      async listPage(dir, ...more) {
        listed.push(dir);
        return memory.listPage(dir, ...more);
      },
    });
    const scan = { ...scanned(remote), isFast: true };
    await scanTree(scan, { into: ROOT, path: '' }, op);
    expect(treePaths(scan.tree)).toEqual({ ...ALL, 'empty/': 0 });
    await deleteOne(memory, { kind: 'file', path: 'a/b/y', size: 3 }, op);
    const [again, part] = [new SizeTree(), new SizeTree()];
    await scanTree({ ...scan, tree: again }, { into: ROOT, path: '' }, op);
    expect(treePaths(again)).toEqual({
      ...ALL,
      'a/': 2,
      'a/b/': 0,
      'a/b/y': undefined,
      'empty/': 0,
    });
    await scanTree({ ...scan, tree: part }, { into: ROOT, path: 'a' }, op);
    expect(treePaths(part)).toEqual({ x: 2, 'b/': 0 });
    expect(listed).toEqual(['all', 'all', 'a', 'a/b']);
  });

  test('in one flat listing', async () => {
    const remote = flat(await remoteWith(FILES));
    let listings = 0;
    const counting = remoteBut(remote, {
      listPage: (...args) => {
        listings++;
        return remote.listPage(...args);
      },
    });
    const scan = scanned(counting);
    await scanTree(scan, { into: ROOT, path: '' }, op);
    expect(treePaths(scan.tree)).toEqual({ ...ALL, 'empty/': 0 });
    expect([listings, scan.tree.isListed(ROOT)]).toEqual([1, true]);
  });

  test('for a file: by the one listing in order, whatever its first page has', async () => {
    const remote = flat(await remoteWith(FILES));
    const no = () => Promise.reject(new Error('another listing'));
    const ordered = remoteBut(remote, {
      listPage: no,
      can: {
        ...remote.can,
        listTreeUnordered: () => ({ [Symbol.asyncIterator]: () => ({ next: no }) }),
      },
    });
    const scan = { ...scanned(ordered), inOrder: true };
    await scanTree(scan, { into: ROOT, path: '' }, op);
    expect(treePaths(scan.tree)).toEqual(ALL);
  });

  test.each([['by directory'], ['flat']])('of one directory, %s', async (how) => {
    const remote = await remoteWith(FILES);
    const scan = scanned(how === 'flat' ? flat(remote) : remote);
    const into = scan.tree.addRoot();
    await scanTree(scan, { into, path: 'a' }, op);
    expect(treePaths(scan.tree, into)).toEqual({ x: 2, 'b/': 3, 'b/y': 3 });
  });

  test.each([['by directory'], ['flat']])('filters choose, %s', async (how) => {
    const remote = await remoteWith(FILES);
    const filter = await filterOf({ exclude: ['*.log', 'b/**'] });
    const scan = scanned(how === 'flat' ? flat(remote) : remote, filter);
    await scanTree(scan, { into: ROOT, path: '' }, op);
    expect([scan.tree.files(ROOT), scan.tree.size(ROOT)]).toEqual([2, 3]);
  });

  test('no deeper than --max-depth', async () => {
    const scan = scanned(await remoteWith(FILES), await filterOf({ 'max-depth': 2 }));
    await scanTree(scan, { into: ROOT, path: '' }, op);
    expect(treePaths(scan.tree)).toEqual({
      ...{ 'a/': 2, 'a/x': 2, 'a/b/': 0, 'c/': 4, 'c/z.log': 4, top: 1, 'empty/': 0 },
    });
  });

  test('only the files that are named', async () => {
    const filter = { ...passAllFilter, passesAll: false, fileList: new Set(['a/b/y', 'top']) };
    const scan = scanned(await remoteWith(FILES), filter);
    await scanTree(scan, { into: ROOT, path: '' }, op);
    expect(treePaths(scan.tree)).toEqual({ 'a/': 3, 'a/b/': 3, 'a/b/y': 3, top: 1 });
  });

  test('a directory that cannot be listed is marked, the others are listed', async () => {
    const remote = await remoteWith(FILES);
    const failing = remoteBut(remote, {
      async listPage(dir, cursor, how) {
        if (dir === 'a') throw new SyncerError('access-denied', 'not allowed');
        return remote.listPage(dir, cursor, how);
      },
    });
    const scan = scanned(failing);
    await scanTree(scan, { into: ROOT, path: '' }, op);
    expect([...scan.tree.failures()].map(([node, text]) => [scan.tree.path(node), text])).toEqual([
      ['a', 'not allowed'],
    ]);
    expect(scan.tree.size(ROOT)).toBe(5);
    await expect(scanTree(scanned(failing), { into: ROOT, path: 'a' }, op)).rejects.toThrow(
      'not allowed',
    );
  });

  test('a flat listing that breaks off is marked and never counts as whole', async () => {
    const remote = flat(await remoteWith(FILES));
    const { listTreePage } = remote.can;
    const failing = remoteBut(remote, {
      can: {
        ...remote.can,
        async listTreePage(dir, cursor, how) {
          if (cursor !== undefined) throw new SyncerError('network', 'cut off');
          const page = await listTreePage?.(dir, cursor, how);
          return { entries: page?.entries.slice(0, 2) ?? [], cursor: 'more' };
        },
      },
    });
    const scan = scanned(failing);
    await scanTree(scan, { into: ROOT, path: '' }, op);
    expect([scan.tree.errorOf(ROOT), scan.tree.size(ROOT)]).toEqual(['cut off', 5]);
    for (const node of scan.tree.children(ROOT)) expect(scan.tree.isListed(node)).toBe(false);
  });

  test('ends when it is aborted', async () => {
    const controller = new AbortController();
    const remote = await remoteWith(FILES);
    const slow = remoteBut(remote, {
      listPage: (_dir, _cursor, { signal }) =>
        new Promise((_, reject) => {
          if (signal.aborted) reject(signal.reason);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const scan = scanTree(scanned(slow), { into: ROOT, path: '' }, controller);
    controller.abort(new Error('enough'));
    await expect(scan).rejects.toThrow('enough');
  });

  test('the directory that is looked at comes first', async () => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`d${n}/f`, 'x']));
    const remote = await remoteWith(files);
    const order: string[] = [];
    const noting = remoteBut(remote, {
      listPage(dir, cursor, how) {
        order.push(dir);
        return remote.listPage(dir, cursor, how);
      },
    });
    const scan = { ...scanned(noting), atOnce: 1 };
    const preferred = () =>
      Array.from(scan.tree.children(ROOT)).find((node) => scan.tree.name(node) === 'd9');
    await scanTree(scan, { into: ROOT, path: '', preferred }, op);
    expect(order.slice(0, 2)).toEqual(['', 'd9']);
    expect(order).toHaveLength(21);
  });
});
