import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteNodes } from '../../../../commands/ncdu/delete-nodes.ts';
import { scanTree } from '../../../../commands/ncdu/scan-tree.ts';
import type { Op, Remote } from '../../../../src/core/remote.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { findNode } from '../../../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { sdkClient } from '../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP, openS3 } from '../../../support/open-s3.ts';
import { openLocal } from '../../backends/local/local-world.ts';
import { treePaths } from '../../size-tree/tree-model.ts';

let s3: TestS3;
let graph: TestGraph;
beforeAll(async () => {
  [s3, graph] = await Promise.all([startTestS3(), startTestGraph()]);
});
afterAll(() => Promise.all([s3.stop(), graph.stop()]));

const STORES: Readonly<Record<string, () => Promise<Remote>>> = {
  S3: async () => (await openS3(s3, 'bucket')).remote,
  'a drive': async () => (await openDrive(graph)).remote,
};

async function write(remote: Remote, path: string, content: string): Promise<void> {
  const body = Buffer.from(content);
  await remote.write({ path, size: body.length, seekable: true, open: async () => body }, OP);
}

describe.each(Object.keys(STORES))('browsing %s', (name) => {
  test('scans, deletes a directory and a file, and counts what went', async () => {
    const remote = await (STORES[name] as () => Promise<Remote>)();
    await remote.makeDir('', OP);
    for (const path of ['a/x', 'a/b/y', 'a/b/日本', 'c/z', 'top'])
      await write(remote, path, 'content');
    const tree = new SizeTree();
    const scanned = { remote, filter: passAllFilter, atOnce: 8, tree };
    await scanTree(scanned, { into: ROOT, path: '' }, OP);
    expect(treePaths(tree)).toEqual({
      ...{ 'a/': 21, 'a/x': 7, 'a/b/': 14, 'a/b/y': 7, 'a/b/日本': 7, 'c/': 7, 'c/z': 7, top: 7 },
    });
    expect(tree.isWhole(ROOT)).toBe(true);
    let gone = 0;
    const failed: string[] = [];
    const report = {
      gone(nodes: readonly NodeId[]) {
        for (const node of nodes) gone += tree.files(node);
        tree.remove(nodes);
      },
      vanished: (nodes: readonly NodeId[]) => tree.remove(nodes),
      unknown: () => undefined,
      failed: (_: NodeId, path: string, message: string) => failed.push(`${path}: ${message}`),
    };
    const nodes = ['a', 'top'].map((path) => findNode(tree, ROOT, path) as NodeId);
    await deleteNodes({ ...scanned, budget: new Budget(-1) }, nodes, report, OP);
    expect([gone, failed]).toEqual([4, []]);
    const again = new SizeTree();
    await scanTree({ ...scanned, tree: again }, { into: ROOT, path: '' }, OP);
    expect(treePaths(again)).toEqual({ 'c/': 7, 'c/z': 7 });
    await remote.close();
  });
});

test.each(['S3', 'a disk'])(
  'a file that %s gets while its directory is deleted is kept',
  async (name) => {
    const { remote } = name === 'S3' ? await openS3(s3, 'late') : openLocal({});
    await remote.makeDir('', OP);
    for (const path of ['d/a', 'd/e/b', 'd/e/late']) await write(remote, path, 'content');
    const tree = new SizeTree();
    const { purge, purgeUnlisted } = remote.can;
    const late = (remove: typeof purge) => async (dir: string, op: Op) => {
      await write(remote, 'd/e/late', 'content');
      await remove?.(dir, op);
    };
    const can = { ...remote.can, purge: late(purge), purgeUnlisted: late(purgeUnlisted ?? purge) };
    const filter = passAllFilter;
    const scanned = { remote: remoteBut(remote, { can }), filter, atOnce: 8, tree };
    await scanTree(scanned, { into: ROOT, path: '' }, OP);
    const failed: string[] = [];
    const report = {
      gone: (nodes: readonly NodeId[]) => tree.remove(nodes),
      vanished: () => {},
      unknown: () => undefined,
      failed: (_: NodeId, path: string) => failed.push(path),
    };
    const nodes = [findNode(tree, ROOT, 'd') as NodeId];
    await deleteNodes({ ...scanned, budget: new Budget(-1) }, nodes, report, OP);
    expect(failed).toEqual(['d']);
    expect(await remote.stat('d/e/late', OP)).toMatchObject({ kind: 'file' });
    expect(await remote.stat('d/a', OP)).toBeUndefined();
    await remote.close();
  },
);

test('markers of directories go with their directory, and no other key', async () => {
  const { remote } = await openS3(s3, 'marked');
  await remote.makeDir('', OP);
  const client = sdkClient(s3);
  for (const Key of ['d/', 'd/e/', 'f/', 'f/file'])
    await client.send(new PutObjectCommand({ Bucket: 'marked', Key, Body: '' }));
  await remote.can.purgeUnlisted?.('d', OP);
  await expect(remote.can.purgeUnlisted?.('f', OP)).rejects.toMatchObject({ code: 'not-empty' });
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: 'marked' }));
  expect(Contents?.map(({ Key }) => Key)).toEqual(['f/file']);
  client.destroy();
  await remote.close();
});
