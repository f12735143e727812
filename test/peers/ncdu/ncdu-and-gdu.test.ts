import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodesBelow, ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { TreeFeed } from '../../../src/size-tree/tree-feed.ts';
import { exported, imported, makeDiskTree, scanned, sumsOf } from '../../support/disk-tree.ts';
import { hasProgram } from '../../support/has-program.ts';
import { newFolder } from '../../unit/backends/local/local-world.ts';
import { treePaths } from '../../unit/size-tree/tree-model.ts';

/** A tree of a bucket, with names and sizes that no disk has. */
function bucketTree(): SizeTree {
  const tree = new SizeTree();
  const feed = new TreeFeed(tree, ROOT);
  feed.flatPage([
    { kind: 'file', path: 'a/"quoted"\\', size: 10 },
    { kind: 'file', path: 'a/b/日本\udcff', size: 2 ** 40 },
    { kind: 'file', path: 'unknown', size: -1 },
    { kind: 'file', path: 'line\nbreak [{', size: 0 },
  ]);
  tree.setError(feed.dirAt('locked'), 'not allowed');
  return tree;
}

function fileOf(tree: SizeTree): string {
  const file = join(newFolder(), 'scan.json');
  writeFileSync(file, exported(tree));
  return file;
}

describe.skipIf(!hasProgram('ncdu'))('ncdu', () => {
  test('reads a tree of a bucket, and writes the same', async () => {
    const { stdout, status } = spawnSync('ncdu', ['-f', fileOf(bucketTree()), '-o', '-']);
    expect(status).toBe(0);
    const again = await imported(stdout);
    expect(treePaths(again)).toEqual({ ...treePaths(bucketTree()), unknown: 0 });
    expect(again.failed(ROOT)).toBe(1);
  });

  test('finds the same disk usage, and reads ours', async () => {
    const top = makeDiskTree();
    const own = spawnSync('ncdu', ['-0', '-o', '-', top]);
    const tree = await scanned(top);
    expect(sumsOf(await imported(own.stdout))).toEqual(sumsOf(tree));
    const read = spawnSync('ncdu', ['-0', '-f', fileOf(tree), '-o', '-']);
    expect(read.status).toBe(0);
    expect(sumsOf(await imported(read.stdout))).toEqual(sumsOf(tree));
  });
});

describe.skipIf(!hasProgram('gdu'))('gdu', () => {
  test('reads a tree of a bucket', async () => {
    const { stdout, stderr, status } = spawnSync('gdu', ['-n', '-p', '-f', fileOf(bucketTree())], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/1\.0 TiB.*\/a/);
  });

  test('finds the same disk usage', async () => {
    const top = makeDiskTree();
    const tree = await scanned(top);
    // gdu takes 4 KiB for each directory, whatever it takes.
    const dirs = [...nodesBelow(tree, ROOT)].filter((node) => tree.isDir(node));
    const inDirs = dirs.reduce((sum, dir) => sum + (tree.ownUsage(dir)?.bytes ?? 0), 0);
    const { stdout } = spawnSync('gdu', ['-n', '-p', '-c', '-s', top], { encoding: 'utf8' });
    const kib = (tree.diskUsage(ROOT) - inDirs + dirs.length * 4096) / 1024;
    expect(stdout).toContain(`${kib < 1024 ? kib.toFixed(1) : (kib / 1024).toFixed(1)} `);
  });
});
