import { describe, expect, test } from 'vitest';
import { deleteNodes } from '../../../../commands/ncdu/delete-nodes.ts';
import { scanTree } from '../../../../commands/ncdu/scan-tree.ts';
import { SyncerError } from '../../../../src/core/errors.ts';
import { joinModTime } from '../../../../src/core/mod-time.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { buildFilter } from '../../../../src/filter/build-filter.ts';
import { type Filter, passAllFilter } from '../../../../src/filter/filter.ts';
import { findNode } from '../../../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { contentsOf, remoteBut, remoteWith } from '../../../support/memory-world.ts';

const op = { signal: new AbortController().signal };
const FILES = { 'a/x': 'xx', 'a/b/y': 'yyy', 'a/e/': '', 'c/z': 'zzzz', top: '1' };

/** The kinds of stores by what they can do. */
const KINDS: Readonly<Record<string, (remote: Remote) => Remote>> = {
  'a store that deletes directories whole': (remote) => remote,
  'a disk': (remote) => remoteBut(remote, { traits: { ...remote.traits, onDisk: true } }),
  'a store with batches': (remote) =>
    remoteBut(remote, { can: { ...remote.can, deletesAtOnce: 2 } }),
  'a store with neither': (remote) => {
    const { purge: _, deletesAtOnce: __, ...can } = remote.can;
    return remoteBut(remote, { can });
  },
};

/** Writes a file with another time than those of `remoteWith`. */
async function put(remote: Remote, path: string, content: string): Promise<void> {
  const body = Buffer.from(content);
  const modTime = joinModTime(2000, 0);
  const open = async () => body;
  await remote.write({ path, size: body.length, modTime, seekable: true, open }, op);
}

async function world(remote: Remote, filter: Filter = passAllFilter) {
  const tree = new SizeTree();
  const scanned = { remote, filter, atOnce: 3, tree };
  await scanTree(scanned, { into: ROOT, path: '' }, op);
  const failed: string[] = [];
  const vanished: string[] = [];
  let gone = 0;
  const report = {
    gone(nodes: readonly NodeId[]) {
      for (const node of nodes) gone += tree.files(node);
      tree.remove(nodes);
    },
    vanished(nodes: readonly NodeId[]) {
      vanished.push(...nodes.map((node) => tree.path(node)));
      tree.remove(nodes);
    },
    unknown: () => undefined,
    failed: (_: NodeId, path: string, message: string) => failed.push(`${path}: ${message}`),
  };
  return {
    tree,
    failed,
    gone: () => gone,
    vanished: () => vanished,
    async remove(paths: readonly string[], most = Number.POSITIVE_INFINITY) {
      const nodes = paths.map((path) => findNode(tree, ROOT, path) as NodeId);
      const budget = new Budget(most - gone);
      await deleteNodes({ ...scanned, budget }, nodes, report, op);
    },
  };
}

describe.each(Object.keys(KINDS))('deleting from %s', (kind) => {
  const open = async () => {
    const memory = await remoteWith(FILES);
    return { memory, remote: (KINDS[kind] as (remote: Remote) => Remote)(memory) };
  };

  test('takes files and directories, and counts them', async () => {
    const { memory, remote } = await open();
    const { tree, gone, failed, remove } = await world(remote);
    await remove(['a', 'top']);
    expect(await contentsOf(memory)).toEqual({ 'c/z': 'zzzz@1000' });
    expect([gone(), failed, tree.files(ROOT), tree.size(ROOT)]).toEqual([3, [], 1, 4]);
  });

  test('with a filter takes what is shown and nothing else', async () => {
    const { memory, remote } = await open();
    const filter = await buildFilter({ exclude: ['y'] }, async () => '', 0);
    const { gone, failed, remove } = await world(remote, filter);
    await remove(['a']);
    expect(await contentsOf(memory)).toEqual({
      'a/b/y': 'yyy@1000',
      'c/z': 'zzzz@1000',
      top: '1@1000',
    });
    expect([gone(), failed]).toEqual([1, []]);
  });

  test('with a filter leaves what was replaced by a file that the filter hides', async () => {
    const { memory, remote } = await open();
    const filter = await buildFilter({ 'max-size': 3 }, async () => '', 0);
    const { gone, failed, remove } = await world(remote, filter);
    await put(memory, 'a/x', 'longer');
    await put(memory, 'top', 'longer');
    await remove(['a', 'top']);
    expect(await contentsOf(memory)).toMatchObject({ 'a/x': 'longer@2000', top: 'longer@2000' });
    expect(gone()).toBe(1);
    expect(failed).toContain('top: replaced after the scan: kept');
  });

  test('leaves what was replaced where a marker file leaves the directory out by now', async () => {
    const { memory, remote } = await open();
    const filter = await buildFilter({ 'exclude-if-present': ['.skip'] }, async () => '', 0);
    const { remove } = await world(remote, filter);
    await put(memory, 'a/x', 'longer');
    await put(memory, 'a/.skip', '');
    await remove(['a/x']);
    expect(await contentsOf(memory)).toMatchObject({ 'a/x': 'longer@2000' });
  });

  test('what is gone already is no failure', async () => {
    const { memory, remote } = await open();
    const { failed, tree, remove } = await world(remote);
    await deleteOne(memory, { kind: 'file', path: 'top', size: 1 }, op);
    await remove(['top']);
    expect([failed, tree.files(ROOT)]).toEqual([[], 3]);
  });

  test('neither is a directory, which is not counted', async () => {
    const { memory, remote } = await open();
    const { failed, gone, tree, vanished, remove } = await world(remote);
    await memory.deleteDir('a/e', op);
    await remove(['a/e']);
    expect([failed, gone(), vanished()]).toEqual([[], 0, ['a/e']]);
    expect(findNode(tree, ROOT, 'a/e')).toBeUndefined();
  });
});

describe('deleting', () => {
  test('leaves files that came after the scan, and shows them', async () => {
    const memory = await remoteWith(FILES);
    const disk = remoteBut(memory, { traits: { ...memory.traits, onDisk: true } });
    const { tree, gone, failed, remove } = await world(disk);
    await put(memory, 'a/b/new', 'new');
    await remove(['a']);
    expect(Object.keys(await contentsOf(memory)).sort()).toEqual(['a/b/new', 'a/e/', 'c/z', 'top']);
    expect(gone()).toBe(2);
    expect(failed).toEqual(['a: 1 file created or replaced after the scan: kept']);
    expect(findNode(tree, ROOT, 'a/b/new')).toBeDefined();
  });

  test('leaves files that were replaced after the scan, in a directory or by themselves', async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`many/${n}`, '']));
    for (const kind of Object.values(KINDS)) {
      const memory = await remoteWith({ ...FILES, ...many });
      const { tree, gone, failed, remove } = await world(kind(memory));
      // Another size, and the same size at another time.
      await put(memory, 'a/b/y', 'other');
      await put(memory, 'top', '2');
      await put(memory, 'many/7', 'other');
      await remove(['a', 'top', 'c/z', 'many/7', 'many/8']);
      expect(await contentsOf(memory)).toMatchObject({
        'a/b/y': 'other@2000',
        top: '2@2000',
        'many/7': 'other@2000',
      });
      expect([gone(), tree.size(ROOT)]).toEqual([3, 11]);
      expect(failed.sort()).toEqual([
        'a: 1 file created or replaced after the scan: kept',
        'many/7: replaced after the scan: kept',
        'top: replaced after the scan: kept',
      ]);
      // Once more, and the question has what is there now.
      await remove(['a', 'top', 'many/7']);
      expect([gone(), failed.length]).toEqual([6, 3]);
    }
  });

  test('leaves a directory that cannot be listed any more, and a file that cannot be looked at', async () => {
    const memory = await remoteWith(FILES);
    let isDown = false;
    const remote = remoteBut(memory, {
      async listPage(dir, cursor, how) {
        if (isDown && dir !== 'a') throw new SyncerError('access-denied', 'not allowed');
        return memory.listPage(dir, cursor, how);
      },
    });
    const { failed, remove } = await world(remote);
    isDown = true;
    await remove(['a', 'c/z']);
    expect(Object.keys(await contentsOf(memory))).toHaveLength(5);
    expect(failed.sort()).toEqual([
      'a: not deleted: part of it could not be listed: not allowed',
      'c/z: not deleted: not allowed',
    ]);
  });

  test('of what was not scanned to its end takes all', async () => {
    const memory = await remoteWith(FILES);
    const disk = remoteBut(memory, { traits: { ...memory.traits, onDisk: true } });
    const { tree, gone, remove } = await world(disk);
    tree.remove([findNode(tree, ROOT, 'a/b/y') as NodeId]);
    tree.setListed(findNode(tree, ROOT, 'a/b') as NodeId, false);
    await remove(['a']);
    expect(Object.keys(await contentsOf(memory))).toEqual(['c/z', 'top']);
    expect(gone()).toBe(2);
  });

  test('a file that cannot be deleted keeps its directory', async () => {
    const memory = await remoteWith(FILES);
    const { deletesAtOnce: _, ...can } = memory.can;
    const disk = remoteBut(memory, {
      can,
      traits: { ...memory.traits, onDisk: true },
      async delete(files, how) {
        const refused = files.some(({ path }) => path === 'a/x');
        if (refused) throw new SyncerError('access-denied', 'not allowed');
        return memory.delete(files, how);
      },
    });
    const { tree, gone, failed, remove } = await world(disk);
    await remove(['a']);
    expect(Object.keys(await contentsOf(memory))).toEqual(['a/b/', 'a/e/', 'a/x', 'c/z', 'top']);
    expect([gone(), failed, tree.files(ROOT)]).toEqual([1, ['a/x: not allowed'], 3]);
  });

  test('stops at --max-delete', async () => {
    const { gone, failed, remove } = await world(remoteBut(await remoteWith(FILES), {}));
    await remove(['top', 'c/z', 'a/x'], 2);
    expect(gone()).toBe(2);
    expect(failed).toHaveLength(1);
  });

  test('ends when it is aborted', async () => {
    const memory = await remoteWith(FILES);
    const tree = new SizeTree();
    const scanned = {
      remote: memory,
      filter: passAllFilter,
      atOnce: 1,
      tree,
      budget: new Budget(-1),
    };
    await scanTree(scanned, { into: ROOT, path: '' }, op);
    const ended = AbortSignal.abort(new Error('enough'));
    const report = {
      gone: () => {},
      vanished: () => {},
      unknown: () => undefined,
      failed: () => {},
    };
    const removing = deleteNodes(scanned, [...tree.children(ROOT)], report, { signal: ended });
    await expect(removing).rejects.toThrow('enough');
    expect(Object.keys(await contentsOf(memory))).toHaveLength(5);
  });
});
