import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Remote } from '../../../src/core/remote.ts';
import { passAllFilter } from '../../../src/filter/pass-all-filter.ts';
import { deleteNodes } from '../../../src/ncdu/delete-nodes.ts';
import { scanTree } from '../../../src/ncdu/scan-tree.ts';
import { findNode } from '../../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../../src/size-tree/node.ts';
import { SizeTree } from '../../../src/size-tree/size-tree.ts';
import { startTestGraph, type TestGraph } from '../../servers/graph/start-graph.ts';
import { startTestS3, type TestS3 } from '../../servers/test-s3.ts';
import { openDrive } from '../../support/open-drive.ts';
import { OP, openS3 } from '../../support/open-s3.ts';
import { treePaths } from '../size-tree/tree-model.ts';

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
      failed: (_: NodeId, path: string, message: string) => failed.push(`${path}: ${message}`),
    };
    const nodes = ['a', 'top'].map((path) => findNode(tree, ROOT, path) as NodeId);
    await deleteNodes({ ...scanned, mayGo: (files) => files }, nodes, report, OP);
    expect([gone, failed]).toEqual([4, []]);
    const again = new SizeTree();
    await scanTree({ ...scanned, tree: again }, { into: ROOT, path: '' }, OP);
    expect(treePaths(again)).toEqual({ 'c/': 7, 'c/z': 7 });
    await remote.close();
  });
});
