import { describe, expect, test } from 'vitest';
import { joinModTime } from '../../../src/core/mod-time.ts';
import type { FileEntry } from '../../../src/core/remote.ts';
import { findNode, pathSegments } from '../../../src/size-tree/find-node.ts';
import { ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../src/size-tree/tree-feed.ts';
import { treePaths } from './tree-model.ts';

const file = (path: string, size: number): FileEntry => ({ kind: 'file', path, size });

describe('pages into a tree', () => {
  test('directory by directory', () => {
    const tree = new SizeTree();
    const feed = new TreeFeed(tree, ROOT);
    const [a] = feed.dirPage(ROOT, [{ kind: 'dir', path: 'a' }, file('x', 1)]);
    expect(feed.dirPage(a as number, [file('a/y', 2)])).toEqual([]);
    expect(treePaths(tree)).toEqual({ 'a/': 2, 'a/y': 2, x: 1 });
  });

  test('flat, in any order, with the directories above', () => {
    const tree = new SizeTree();
    const feed = new TreeFeed(tree, ROOT);
    feed.flatPage([file('a/b/x', 1), file('c', 2), file('a/y', 4)]);
    feed.flatPage([file('a/b/z', 8), { kind: 'dir', path: 'e' }]);
    expect(treePaths(tree)).toEqual({
      ...{ 'a/': 13, 'a/b/': 9, 'a/b/x': 1, 'a/b/z': 8, 'a/y': 4, c: 2, 'e/': 0 },
    });
  });

  test.each([
    ['a//b', ['a', '/b']],
    ['/x', ['/x']],
    ['a/', ['a/']],
    ['a//', ['a//']],
    ['a///b/c', ['a', '//b', 'c']],
    ['', []],
  ])('names of keys without one between slashes: %s', (path, segments) => {
    expect(pathSegments(path)).toEqual(segments);
    const tree = new SizeTree();
    if (path === '') return;
    new TreeFeed(tree, ROOT).flatPage([file(path, 3)]);
    const node = findNode(tree, ROOT, path);
    expect(node === undefined ? undefined : tree.path(node)).toBe(path);
    expect(tree.size(ROOT)).toBe(3);
  });

  test('many directories are found again', () => {
    const tree = new SizeTree();
    const feed = new TreeFeed(tree, ROOT);
    const paths = Array.from({ length: 3000 }, (_, n) => `d${n % 700}/e${n % 13}/f${n}`);
    feed.flatPage(paths.map((path) => file(path, 1)));
    const dirs = new Set(paths.flatMap((path) => [path.split('/')[0], path.replace(/\/f.*/, '')]));
    expect([tree.files(ROOT), tree.dirs]).toEqual([3000, dirs.size]);
  });

  test('the time of a file is its own, else that of the store', () => {
    const tree = new SizeTree();
    const times = { modTime: joinModTime(5, 0), storedTime: joinModTime(9, 0) };
    const { modTime: _, ...stored } = { ...file('b', 1), ...times };
    new TreeFeed(tree, ROOT).dirPage(ROOT, [{ ...file('a', 1), ...times }, stored]);
    const ids = tree.children(ROOT);
    expect(Array.from(ids, (id) => tree.timeMs(id))).toEqual([5000, 9000]);
  });
});
