import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DiskUsage } from '../../../src/core/entry-details.ts';
import { type NewNode, type NodeId, nodesBelow, ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';

/** A file of these has the same length and blocks under all its names. */
const usageOf = (inode: number, links: number): DiskUsage => ({
  ...{ size: inode * 10, bytes: inode * 512, device: 1n, inode: BigInt(inode) },
  ...{ links, isSpecial: false },
});

const OWN = { size: 7, bytes: 4096, device: 1n, inode: 0n, links: 1, isSpecial: false };

const file = (inode: number, links: number): NewNode => ({
  ...{ name: `f${inode}`, isDir: false, size: inode * 10, timeMs: Number.NaN },
  usage: usageOf(inode, links),
});

const dir: NewNode = { name: 'd', isDir: true, size: 0, timeMs: Number.NaN, usage: OWN };

/** What a directory takes, from what lies below it and nothing else. */
function counted(tree: SizeTree, top: NodeId): readonly [disk: number, apparent: number] {
  const seen = new Set<number | bigint>();
  let [disk, apparent] = [0, 0];
  for (const node of nodesBelow(tree, top)) {
    if (isExcludedBelow(tree, top, node)) continue;
    const own = tree.ownUsage(node);
    if (own === undefined || seen.has(own.links === 1 ? -node : own.inode)) continue;
    seen.add(own.links === 1 ? -node : own.inode);
    disk += own.bytes;
    apparent += own.size;
  }
  return [disk, apparent];
}

function isExcludedBelow(tree: SizeTree, top: NodeId, node: NodeId): boolean {
  for (let at = node; at !== top; at = tree.parent(at)) if (tree.excluded.has(at)) return true;
  return false;
}

function check(tree: SizeTree): void {
  for (const node of nodesBelow(tree, ROOT)) {
    if (!tree.isDir(node)) continue;
    expect([tree.diskUsage(node), tree.apparentSize(node)]).toEqual(counted(tree, node));
  }
}

test('a file with several names counts once in each directory, whatever comes and goes', () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'add', 'remove', 'rescan', 'exclude'),
    where: fc.nat(),
    inodes: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
    single: fc.nat(2),
    dirs: fc.nat(2),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const tree = new SizeTree();
      tree.setOwnUsage(ROOT, OWN);
      for (const { what, where, inodes, single, dirs } of steps) {
        const nodes = [...nodesBelow(tree, ROOT)];
        const at = nodes[where % nodes.length] as NodeId;
        const added = [
          ...inodes.map((inode) => file(inode, 3)),
          ...Array(single).fill(file(99, 1)),
          ...Array(dirs).fill(dir),
        ];
        if (what === 'exclude') tree.setExcluded(at, !tree.isExcluded(at));
        else if (what === 'remove')
          tree.remove(nodes.filter((node) => node >= at && node !== ROOT));
        else if (tree.isDir(at) && what === 'add') tree.add(at, added);
        else if (tree.isDir(at)) {
          const into = tree.addRoot();
          tree.setOwnUsage(into, OWN);
          const first = tree.add(into, [dir, ...added]);
          tree.add(first, added);
          tree.replaceContents(at, into);
        }
        check(tree);
      }
      for (const node of tree.excluded) tree.setExcluded(node, false);
      expect(tree.excluded.size).toBe(0);
      check(tree);
    }),
  );
});

test('many names of one file take no time that grows with their square', () => {
  const tree = new SizeTree();
  tree.setOwnUsage(ROOT, OWN);
  for (let at = 0; at < 3000; at++) tree.add(tree.add(ROOT, [dir]), [file(5, 0)]);
  expect(tree.diskUsage(ROOT)).toBe(4096 * 3001 + 2560);
  tree.remove(tree.children(ROOT).subarray(1));
  check(tree);
});
