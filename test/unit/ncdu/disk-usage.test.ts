import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nameToBytes } from '../../../src/core/name-bytes.ts';
import { passAllFilter } from '../../../src/filter/filter.ts';
import { deleteNodes } from '../../../src/ncdu/delete-nodes.ts';
import { scanTree } from '../../../src/ncdu/scan-tree.ts';
import { exportNcdu } from '../../../src/size-tree/export-ncdu.ts';
import { findNode } from '../../../src/size-tree/find-node.ts';
import { importNcdu } from '../../../src/size-tree/import-ncdu.ts';
import { type NodeId, nodesBelow, ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { hasProgram } from '../../support/has-program.ts';
import { newFolder, OP, openLocal } from '../backends/local/local-world.ts';

/** Small files, names of one file in several directories, holes, links, and directories that hold nothing. */
function makeTree(): string {
  const top = newFolder();
  const at = (path: string) => join(top, path);
  for (const dir of ['many', 'a/b', 'a/c', 'empty/deeper', 'links']) {
    fs.mkdirSync(at(dir), { recursive: true });
  }
  for (let n = 0; n < 200; n++) fs.writeFileSync(at(`many/${n}`), 'x'.repeat(n));
  fs.writeFileSync(at('a/b/whole'), 'y'.repeat(50_000));
  for (const name of ['a/b/second', 'a/c/third', 'fourth']) fs.linkSync(at('a/b/whole'), at(name));
  fs.linkSync(at('many/7'), at('links/hard'));
  fs.truncateSync(at('many/7'), 5_000_000_000);
  fs.symlinkSync('../many/9', at('links/soft'));
  fs.symlinkSync('x'.repeat(200), at('links/long'));
  fs.symlinkSync('../a', at('links/dir'));
  // How many blocks a file has is final when they are written.
  spawnSync('sync', ['-f', top]);
  return top;
}

type Sums = Record<string, readonly [disk: number, apparent: number]>;

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

function sumsOf(tree: SizeTree): Sums {
  const dirs = [...nodesBelow(tree, ROOT)].filter((node) => tree.isDir(node));
  return Object.fromEntries(
    dirs.map((dir) => [tree.path(dir), [tree.diskUsage(dir), tree.apparentSize(dir)]]),
  );
}

async function scanned(top: string, options: Record<string, string> = {}): Promise<SizeTree> {
  const tree = new SizeTree();
  const { remote, events } = openLocal(options, top);
  const scan = { remote, filter: passAllFilter, atOnce: 4, tree };
  await scanTree(scan, { into: ROOT, path: '' }, OP);
  expect(events).toEqual([]);
  return tree;
}

const exported = (tree: SizeTree) =>
  nameToBytes(
    [...exportNcdu(tree, { version: '1.0', timeMs: Date.now(), title: '/top' })].join(''),
  );

async function imported(bytes: Buffer): Promise<SizeTree> {
  async function* chunks() {
    yield bytes;
  }
  return (await importNcdu(chunks())).tree;
}

describe('what a local tree takes on the disk', () => {
  test('blocks of everything in it, each inode once in a directory', async () => {
    const top = makeTree();
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

  test('is the same after writing and reading, and after a part was scanned again', async () => {
    const top = makeTree();
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
    const top = makeTree();
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
    await deleteNodes({ ...removal, mayGo: (files) => files }, nodes, report, OP);
    expect(failed).toEqual([]);
    expect(fs.existsSync(join(top, 'links'))).toBe(false);
    expect(fs.existsSync(join(top, 'a/b/second'))).toBe(true);
    expect(sumsOf(tree)).toEqual(await scanned(top).then(sumsOf));
  });

  test.skipIf(!hasProgram('ncdu'))('is what ncdu finds, and reads', async () => {
    const top = makeTree();
    const own = spawnSync('ncdu', ['-0', '-o', '-', top]);
    const tree = await scanned(top);
    expect(sumsOf(await imported(own.stdout))).toEqual(sumsOf(tree));
    const file = join(newFolder(), 'scan.json');
    fs.writeFileSync(file, exported(tree));
    const read = spawnSync('ncdu', ['-0', '-f', file, '-o', '-']);
    expect(read.status).toBe(0);
    expect(sumsOf(await imported(read.stdout))).toEqual(sumsOf(tree));
  });

  test.skipIf(!hasProgram('gdu'))('is what gdu finds', async () => {
    const top = makeTree();
    const tree = await scanned(top);
    // gdu takes 4 KiB for each directory, whatever it takes.
    const dirs = [...nodesBelow(tree, ROOT)].filter((node) => tree.isDir(node));
    const inDirs = dirs.reduce((sum, dir) => sum + (tree.ownUsage(dir)?.bytes ?? 0), 0);
    const { stdout } = spawnSync('gdu', ['-n', '-p', '-c', '-s', top], { encoding: 'utf8' });
    const kib = (tree.diskUsage(ROOT) - inDirs + dirs.length * 4096) / 1024;
    expect(stdout).toContain(`${kib < 1024 ? kib.toFixed(1) : (kib / 1024).toFixed(1)} `);
  });
});
