import { existsSync, lstatSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteNodes } from '../../../../commands/ncdu/delete-nodes.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { findNode } from '../../../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../../../src/size-tree/node.ts';
import { scanned } from '../../../support/disk-tree.ts';
import { layered } from '../../../support/layered.ts';
import { fileAt, newFolder, OP, openLocal } from '../../backends/local/local-world.ts';

/** Deletes paths of a folder as the browser moves them to the trash: links are files. */
async function remove(top: string, paths: readonly string[], options: Record<string, string> = {}) {
  const tree = await scanned(top, options);
  const { remote } = openLocal(options, top);
  const shown = openLocal({ links: 'true' }, top).remote;
  const files: FileEntry[] = [];
  const own = layered(shown, {
    delete: async (file, op) => {
      files.push(...[file].flat());
      return shown.delete(file, op);
    },
  });
  const failed: string[] = [];
  const missing: string[] = [];
  const report = {
    gone: (nodes: readonly NodeId[]) => tree.remove(nodes),
    vanished: (nodes: readonly NodeId[]) => missing.push(...nodes.map((node) => tree.path(node))),
    unknown: () => undefined,
    failed: (_: NodeId, path: string, message: string) => failed.push(`${path}: ${message}`),
  };
  const nodes = paths.map((path) => findNode(tree, ROOT, path) as NodeId);
  const scan = { remote, own, filter: passAllFilter, atOnce: 3, tree };
  await deleteNodes({ ...scan, budget: new Budget(-1), isKept: true }, nodes, report, OP);
  return { files, failed, missing };
}

test('a file with the name that a link has in the trash stays, and so does that link', async () => {
  const top = newFolder();
  writeFileSync(join(top, 'a.rclonelink'), 'a file');
  symlinkSync('target', join(top, 'a'));
  const { failed, missing } = await remove(top, ['a.rclonelink']);
  expect(failed).toEqual([
    'a.rclonelink: a name in .rclonelink is that of a link in the trash: delete it for good',
  ]);
  expect(missing).toEqual([]);
  expect(lstatSync(join(top, 'a')).isSymbolicLink()).toBe(true);
  expect(existsSync(join(top, 'a.rclonelink'))).toBe(true);
});

test('what goes to the trash of a disk is noted with its whole time, links too', async () => {
  const top = newFolder();
  writeFileSync(join(top, 'a'), 'a file');
  symlinkSync('a', join(top, 'b'));
  const { remote } = openLocal({ links: 'true' }, top);
  const times = [await fileAt(remote, 'a'), await fileAt(remote, 'b.rclonelink')].map(
    ({ modTime }) => modTime,
  );
  const { files, failed } = await remove(top, ['a', 'b']);
  expect(failed).toEqual([]);
  expect(files.map(({ path, modTime }) => [path, modTime])).toEqual([
    ['a', times[0]],
    ['b.rclonelink', times[1]],
  ]);
});

test('a link that the scan shows as a file goes to the trash', async () => {
  const top = newFolder();
  symlinkSync('target', join(top, 'a'));
  const { files, failed } = await remove(top, ['a.rclonelink'], { links: 'true' });
  expect(failed).toEqual([]);
  expect(files.map(({ path }) => path)).toEqual(['a.rclonelink']);
  expect(lstatSync(join(top, 'a'), { throwIfNoEntry: false })).toBeUndefined();
});
