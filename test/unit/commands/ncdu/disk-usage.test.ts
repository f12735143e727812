import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deleteNodes } from '../../../../commands/ncdu/delete-nodes.ts';
import { scanTree } from '../../../../commands/ncdu/scan-tree.ts';
import { systemClock } from '../../../../src/core/context.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { findNode } from '../../../../src/size-tree/find-node.ts';
import { type NodeId, nodesBelow, ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import {
  exported,
  imported,
  makeDiskTree,
  type Sums,
  scanned,
  sumsOf,
} from '../../../support/disk-tree.ts';
import { OP, openLocal } from '../../backends/local/local-world.ts';

/** What each directory takes, by `lstat` of everything in it: each inode once. */
function sumsOnDisk(top: string, path = ''): Sums {
  const sums: Sums = {};
  const seen = new Map<string, fs.Stats>();
  const take = (name: string) => {
    const stats = fs.lstatSync(join(top, name));
    seen.set(stats.isDirectory() ? name : String(stats.ino), stats);
    if (!stats.isDirectory()) return;
    for (const child of fs.readdirSync(join(top, name))) take(join(name, child));
  };
  take(path);
  const all = [...seen.values()];
  const total = (of: (stats: fs.Stats) => number) => all.reduce((sum, one) => sum + of(one), 0);
  sums[path] = [total(({ blocks }) => blocks * 512), total(({ size }) => size)];
  for (const child of fs.readdirSync(join(top, path), { withFileTypes: true })) {
    if (child.isDirectory()) Object.assign(sums, sumsOnDisk(top, join(path, child.name)));
  }
  return sums;
}

describe('what a local tree takes on the disk', () => {
  test('blocks of everything in it, each inode once in a directory', async () => {
    const top = makeDiskTree();
    const tree = await scanned(top);
    expect(sumsOf(tree)).toEqual(sumsOnDisk(top));
    expect(tree.diskUsage(ROOT)).toBeLessThan(tree.apparentSize(ROOT));
    expect([tree.files(ROOT), tree.size(ROOT)]).toEqual([
      208,
      [...nodesBelow(tree, ROOT)].reduce(
        (sum, node) => sum + (tree.isDir(node) ? 0 : tree.size(node)),
        0,
      ),
    ]);
    expect(sumsOf(await scanned(top, { links: 'true' }))).toEqual(sumsOnDisk(top));
  });

  test('is the same of directories that are taken as a whole', async () => {
    const top = makeDiskTree();
    const { remote } = openLocal({}, top, {}, { ...systemClock, monotonic: () => 0 });
    const { takeUsage, ...can } = remote.can;
    let taken = 0;
    const counted: Remote['can']['takeUsage'] = async (dir, take, op) => {
      const isTaken = await takeUsage?.(dir, take, op);
      if (isTaken) taken++;
      return isTaken === true;
    };
    const scan = async (of: Remote) => {
      const tree = new SizeTree();
      await scanTree(
        { remote: of, filter: passAllFilter, atOnce: 4, tree },
        { into: ROOT, path: '' },
        OP,
      );
      return tree;
    };
    const listed = await scan({ ...remote, can });
    const tree = await scan({ ...remote, can: { ...can, takeUsage: counted } });
    expect(taken).toBe(7);
    expect(exported(tree).subarray(80)).toEqual(exported(listed).subarray(80));
    expect([sumsOf(tree), tree.dirs]).toEqual([sumsOf(listed), listed.dirs]);
  });

  test('is the same after writing and reading, and after a part was scanned again', async () => {
    const top = makeDiskTree();
    const tree = await scanned(top);
    const sums = sumsOf(tree);
    expect(sumsOf(await imported(exported(tree)))).toEqual(sums);
    const into = tree.addRoot();
    const { remote } = openLocal({}, top);
    const dir = tree.children(ROOT)[0] ?? ROOT;
    const scan = { remote, filter: passAllFilter, atOnce: 4, tree };
    await scanTree(scan, { into, path: tree.path(dir) }, OP);
    tree.replaceContents(dir, into);
    expect(sumsOf(tree)).toEqual(sums);
    expect(exported(tree).equals(exported(await imported(exported(tree))))).toBe(true);
  });

  test('goes with what is deleted; a link goes and not what it leads to', async () => {
    const top = makeDiskTree();
    const tree = await scanned(top);
    const { remote } = openLocal({}, top);
    const failed: string[] = [];
    const gone = (nodes: readonly NodeId[]) => tree.remove(nodes);
    const report = {
      ...{ gone, vanished: gone },
      unknown: () => undefined,
      failed: (_: NodeId, path: string, message: string) => void failed.push(`${path}: ${message}`),
    };
    const removal = { remote, filter: passAllFilter, atOnce: 4, tree };
    const nodes = ['links', 'a/b/whole'].map((path) => findNode(tree, ROOT, path) ?? ROOT);
    await deleteNodes({ ...removal, budget: new Budget(-1) }, nodes, report, OP);
    expect(failed).toEqual([]);
    expect(fs.existsSync(join(top, 'links'))).toBe(false);
    expect(fs.existsSync(join(top, 'a/b/second'))).toBe(true);
    expect(sumsOf(tree)).toEqual(await scanned(top).then(sumsOf));
  });
});
