import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { scanTree } from '../../commands/ncdu/scan-tree.ts';
import { passAllFilter } from '../../src/filter/filter.ts';
import { exportNcdu } from '../../src/size-tree/export-ncdu.ts';
import { importNcdu } from '../../src/size-tree/import-ncdu.ts';
import { nodesBelow, ROOT } from '../../src/size-tree/node.ts';
import { SizeTree } from '../../src/size-tree/size-tree.ts';
import { newFolder, OP, openLocal } from '../unit/backends/local/local-world.ts';

/** What a directory takes, by its path. */
export type Sums = Record<string, readonly [disk: number, apparent: number]>;

/** Small files, names of one file in several directories, holes, links, and directories that hold nothing. */
export function makeDiskTree(): string {
  // On a disk: in memory, a directory has another size after each change.
  const top = newFolder('/var/tmp');
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

/** What each directory of a tree takes. */
export function sumsOf(tree: SizeTree): Sums {
  const dirs = [...nodesBelow(tree, ROOT)].filter((node) => tree.isDir(node));
  return Object.fromEntries(
    dirs.map((dir) => [tree.path(dir), [tree.diskUsage(dir), tree.apparentSize(dir)]]),
  );
}

/** The tree of a local directory. */
export async function scanned(
  top: string,
  options: Record<string, string> = {},
): Promise<SizeTree> {
  const tree = new SizeTree();
  const { remote, events } = openLocal(options, top);
  const scan = { remote, filter: passAllFilter, atOnce: 4, tree };
  await scanTree(scan, { into: ROOT, path: '' }, OP);
  expect(events).toEqual([]);
  return tree;
}

/** A tree in ncdu's format. */
export const exported = (tree: SizeTree) =>
  Buffer.concat([...exportNcdu(tree, { version: '1.0', timeMs: Date.now(), title: '/top' })]);

/** The tree of a scan in ncdu's format. */
export async function imported(bytes: Buffer): Promise<SizeTree> {
  async function* chunks() {
    yield bytes;
  }
  return (await importNcdu(chunks())).tree;
}
