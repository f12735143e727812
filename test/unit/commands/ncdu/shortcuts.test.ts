import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deleteNodes } from '../../../../commands/ncdu/delete-nodes.ts';
import { scanTree } from '../../../../commands/ncdu/scan-tree.ts';
import { transferNodes } from '../../../../commands/ncdu/transfer-nodes.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { buildFilter } from '../../../../src/filter/build-filter.ts';
import { type Filter, passAllFilter } from '../../../../src/filter/filter.ts';
import { findNode } from '../../../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import type { TestDrive } from '../../../servers/graph/test-drive.ts';
import { configureDrive } from '../../../support/graph-world.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP } from '../../../support/open-s3.ts';
import { runAsNcdu } from '../../../support/run-as-ncdu.ts';

/** `r/Team` is a shortcut to `share`, which belongs to another drive. */
let graph: TestGraph;
let theirs: TestDrive;
let remote: Remote;
beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }, { type: 'business' }] });
  [, theirs] = graph.drives as [TestDrive, TestDrive];
  for (const path of ['a', 'in/b', 'in/c']) theirs.put(`share/${path}`, path);
  theirs.mkdir('share/empty');
  for (const path of ['r/own', 'r/sub/own', 's/own']) graph.drive.put(path, path);
  graph.drive.addShortcut('r/Team', theirs, 'share');
  ({ remote } = await openDrive(graph));
});
afterEach(async () => {
  await remote.close();
  await graph.stop();
});

const SHARED = ['share/', 'share/a', 'share/empty/', 'share/in/', 'share/in/b', 'share/in/c'];
const shared = () => Object.keys(theirs.tree());
/** With the shortcut. */
const ours = () => graph.drive.files().sort();
const nodeAt = (tree: SizeTree, path: string) => findNode(tree, ROOT, path) as NodeId;

async function scan(filter: Filter = passAllFilter) {
  const tree = new SizeTree();
  const scanned = { remote, filter, atOnce: 4, tree };
  await scanTree(scanned, { into: ROOT, path: '' }, OP);
  return scanned;
}

async function remove(
  scanned: Awaited<ReturnType<typeof scan>>,
  paths: readonly string[],
  more: { readonly isKept?: boolean } = {},
) {
  const { tree } = scanned;
  const failed: string[] = [];
  let gone = 0;
  const report = {
    gone(nodes: readonly NodeId[]) {
      for (const node of nodes) gone += tree.files(node);
      tree.remove(nodes);
    },
    vanished: (nodes: readonly NodeId[]) => tree.remove(nodes),
    unknown: () => undefined,
    failed: (_: NodeId, path: string, message: string) => failed.push(`${path}: ${message}`),
  };
  // As in the browser, another remote deletes.
  const own = (await openDrive(graph)).remote;
  const removal = { ...scanned, ...more, own, budget: new Budget(-1) };
  const nodes = paths.map((path) => nodeAt(tree, path));
  await deleteNodes(removal, nodes, report, OP);
  await own.close();
  return { failed, gone, tree };
}

describe.each([false, true])('deleting a shortcut in the browser, trash: %s', (isKept) => {
  test('leaves the shared files it leads to', async () => {
    const { failed, gone, tree } = await remove(await scan(), ['r/Team'], { isKept });
    expect(shared()).toEqual(SHARED);
    expect([ours(), failed, gone]).toEqual([['r/own', 'r/sub/own', 's/own'], [], 0]);
    expect(findNode(tree, ROOT, 'r/Team')).toBeUndefined();
  });

  test('as a part of the directory above leaves the shared files', async () => {
    const { failed, gone } = await remove(await scan(), ['r'], { isKept });
    expect(shared()).toEqual(SHARED);
    expect([ours(), failed, gone]).toEqual([['s/own'], [], 2]);
  });

  test('leaves the shared files where the scan was not complete', async () => {
    const scanned = await scan();
    for (const path of ['r', 'r/Team']) scanned.tree.setListed(nodeAt(scanned.tree, path), false);
    const { failed } = await remove(scanned, ['r'], { isKept });
    expect(shared()).toEqual(SHARED);
    expect([ours(), failed]).toEqual([['s/own'], []]);
  });

  test('leaves it and the shared files where a filter may hide some', async () => {
    const filter = await buildFilter({ exclude: ['c'] }, async () => '', 0);
    const { failed } = await remove(await scan(filter), ['r'], { isKept });
    expect(shared()).toEqual(SHARED);
    expect([ours(), failed]).toEqual([
      ['r/Team', 's/own'],
      ['r/Team: not deleted: a filter may hide a part of the shared directory it leads to'],
    ]);
  });
});

test('a shared file that is on the list of --files-from stays if its directory is deleted', async () => {
  const list = async () => 'r/Team/a\nr/own\n';
  const filter = await buildFilter({ 'files-from': ['list'] }, list, 0);
  await remove(await scan(filter), ['r']);
  expect(shared()).toEqual(SHARED);
  expect(ours()).toEqual(['r/Team', 'r/sub/own', 's/own']);
});

test('a shared file that was marked in an opened shortcut is deleted, unless it was replaced', async () => {
  const scanned = await scan();
  theirs.put('share/a', 'longer');
  const { failed } = await remove(scanned, ['r/Team/a', 'r/Team/in/b', 'r/sub']);
  expect(failed).toEqual(['r/Team/a: replaced after the scan: kept']);
  expect(theirs.files().sort()).toEqual(['share/a', 'share/in/c']);
  expect(ours()).toEqual(['r/Team', 'r/own', 's/own']);
});

test('a shortcut stays where the directory above cannot be listed any more', async () => {
  const scanned = await scan();
  const listPage: Remote['listPage'] = async (dir, cursor, op) => {
    if (dir === 'r') throw new Error('not allowed');
    return remote.listPage(dir, cursor, op);
  };
  const { failed } = await remove({ ...scanned, remote: remoteBut(remote, { listPage }) }, [
    'r/Team',
  ]);
  expect(shared()).toEqual(SHARED);
  expect(ours()).toContain('r/Team');
  expect(failed).toEqual(['r/Team: not deleted: not allowed']);
});

test('a directory that has come in the place of a shortcut stays', async () => {
  const scanned = await scan();
  const can: Remote['can'] = {
    ...remote.can,
    async deleteShortcut(dir, op) {
      graph.drive.remove('r/Team');
      graph.drive.put('r/Team/new', 'new');
      await remote.can.deleteShortcut?.(dir, op);
    },
  };
  const failed: string[] = [];
  const report = {
    gone: (nodes: readonly NodeId[]) => scanned.tree.remove(nodes),
    vanished: () => undefined,
    unknown: () => undefined,
    failed: (_: NodeId, path: string) => failed.push(path),
  };
  const own = remoteBut(remote, { can });
  const removal = { ...scanned, own, budget: new Budget(-1) };
  await deleteNodes(removal, [nodeAt(scanned.tree, 'r')], report, OP);
  expect([ours(), failed]).toEqual([['r/Team/new', 's/own'], ['r/Team']]);
});

describe('moving from the browser', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'syncer-shortcuts-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  async function move(path: string, dest: string) {
    const failed: string[] = [];
    const env = await configureDrive(join(dir, 'config'), graph);
    const { code } = await runAsNcdu('d:', env, async (invocation) => {
      const scanned = await scan();
      const report = {
        found() {},
        bytes() {},
        done() {},
        failed: (at: string, message: string) => failed.push(`${at}: ${message}`),
        moved() {},
      };
      const nodes = [nodeAt(scanned.tree, path)];
      const source = { ...scanned, spec: 'd:' };
      await transferNodes(invocation, source, { verb: 'move', nodes, dest }, report, OP);
    });
    expect(code).toBe(0);
    return failed;
  }

  test.each([
    ['r', 'r/Team'],
    ['r/Team', 'Team'],
  ])('%s leaves a shortcut and what it leads to, and says so', async (path, shown) => {
    const failed = await move(path, join(dir, 'to'));
    expect(shared()).toEqual(SHARED);
    expect(ours()).toContain('r/Team');
    const why = 'Left as it is: a shortcut to a directory that belongs to others';
    expect(failed).toEqual([`${shown}: ${why}`]);
  });

  test.each(['r', 'r/Team'])('%s within the drive moves the shortcut itself', async (path) => {
    expect(await move(path, 'd:s')).toEqual([]);
    expect(shared()).toEqual(SHARED);
    expect(ours()).not.toContain('r/Team');
    expect(ours()).toContain(path === 'r' ? 's/r/Team' : 's/Team');
  });
});
