import {
  CreateMultipartUploadCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { deleteNodes } from '../../../../commands/ncdu/delete-nodes.ts';
import { scanTree } from '../../../../commands/ncdu/scan-tree.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { exportNcdu } from '../../../../src/size-tree/export-ncdu.ts';
import { keptPath } from '../../../../src/size-tree/find-node.ts';
import { importNcdu } from '../../../../src/size-tree/import-ncdu.ts';
import { type NodeId, nodesBelow, ROOT } from '../../../../src/size-tree/node.ts';
import { SizeTree } from '../../../../src/size-tree/size-tree.ts';
import { sdkClient } from '../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../support/open-s3.ts';

let s3: TestS3;
let remote: Remote;
beforeEach(async () => {
  s3 = await startTestS3();
  ({ remote } = await openS3(s3, 'bucket'));
  await remote.makeDir('', OP);
  const client = sdkClient(s3);
  const versioned = { Bucket: 'bucket', VersioningConfiguration: { Status: 'Enabled' } as const };
  await client.send(new PutBucketVersioningCommand(versioned));
  for (const text of ['1', '22', '333']) await remote.write(sourceOf('dir/a', text), OP);
  await remote.write(sourceOf('dir/gone', '55555'), OP);
  await deleteOne(remote, { kind: 'file', path: 'dir/gone', size: 5 }, OP);
  await remote.write(sourceOf('other', 'x'), OP);
  const upload = { Bucket: 'bucket', Key: 'dir/up' };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
  await client.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: 'seven77' }));
  client.destroy();
});
afterEach(async () => {
  await remote.close();
  await s3.stop();
});

async function scan() {
  const tree = new SizeTree();
  const scanned = { remote, filter: passAllFilter, atOnce: 8, tree, isAll: true };
  await scanTree(scanned, { into: ROOT, path: '' }, OP);
  const failed: string[] = [];
  const report = {
    gone: (nodes: readonly NodeId[]) => tree.remove(nodes),
    vanished: (nodes: readonly NodeId[]) => tree.remove(nodes),
    unknown: () => undefined,
    failed: (node: NodeId, _: string, message: string) =>
      failed.push(`${keptPath(tree, node)}: ${message}`),
  };
  const nodes = (wanted: (path: string, kind: string | undefined) => boolean) =>
    [...nodesBelow(tree, ROOT)].filter((node) => wanted(keptPath(tree, node), tree.keptKind(node)));
  const remove = (chosen: readonly NodeId[]) =>
    deleteNodes({ ...scanned, budget: new Budget(-1) }, chosen, report, OP);
  return { tree, nodes, remove, failed };
}

const sums = (tree: SizeTree, node: NodeId = ROOT) => ({
  size: tree.size(node),
  ...tree.keptSums(node),
});

test('a directory has three sums, which follow deletions and stay in an export', async () => {
  const { tree, nodes, remove, failed } = await scan();
  const [dir] = nodes((path) => path === 'dir') as [NodeId];
  expect(sums(tree)).toEqual({ size: 19, old: 8, uploads: 7 });
  expect(sums(tree, dir)).toEqual({ size: 18, old: 8, uploads: 7 });
  const names = Array.from(tree.children(dir), (node) => tree.name(node)).sort();
  expect(names[0]).toBe('a');
  expect(names[1]).toMatch(/^a @\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/);
  const text = [...exportNcdu(tree, { version: '1', timeMs: 0, title: 'x:' })].join('');
  const { tree: read } = await importNcdu(
    (async function* () {
      yield Buffer.from(text);
    })() as never,
  );
  expect(read.size(ROOT)).toBe(19);
  await remove(nodes((_, kind) => kind === 'old'));
  expect(failed).toEqual([]);
  expect(sums(tree)).toEqual({ size: 11, old: 0, uploads: 7 });
  expect(sums((await scan()).tree)).toEqual(sums(tree));
  expect(await remote.stat('dir/gone', OP)).toBeUndefined();
});

test('storage classes and hashes of the listing are kept, also of old versions and uploads', async () => {
  const client = sdkClient(s3);
  const cold = { Bucket: 'bucket', Key: 'cold', StorageClass: 'GLACIER' } as const;
  await client.send(new PutObjectCommand({ ...cold, Body: 'x' }));
  await client.send(new CreateMultipartUploadCommand(cold));
  client.destroy();
  const { tree, nodes } = await scan();
  const facts = (path: string) =>
    nodes((one) => one === path).map((node) => [
      ...[tree.keptKind(node), tree.objects.classes[tree.objects.classOf(node)]],
      tree.objects.hashKey(node) === tree.objects.hashKey(other),
    ]);
  const [other] = nodes((path) => path === 'other') as [NodeId];
  expect(tree.objects.hashKey(other)).toBeGreaterThan(2 ** 32);
  expect(facts('cold')).toEqual([
    ['upload', 'GLACIER', false],
    ['current', 'GLACIER', true],
  ]);
  expect(facts('dir/a').map(([, name]) => name)).toEqual(['STANDARD', 'STANDARD', 'STANDARD']);
});

test('the newest version goes last, and not while an older one is left', async () => {
  const first = await scan();
  await first.remove(first.nodes((path, kind) => kind === 'marker' || path === 'other'));
  expect(first.failed).toEqual(['dir/gone: not deleted: an older version would become current']);
  const { tree, nodes, remove, failed } = await scan();
  expect(tree.size(ROOT)).toBe(18);
  const isOld = (query: ReadonlyMap<string, string>) =>
    query.get('versionId') === tree.keptAs(nodes((_, kind) => kind === 'old')[0] as NodeId)?.id;
  s3.setFaults(({ operation, query }) => {
    if (operation === 'DeleteObjects') return { status: 501 };
    return operation === 'DeleteObject' && isOld(query) ? { status: 403 } : undefined;
  });
  await remove(nodes((path) => path === 'dir'));
  expect(failed).toHaveLength(2);
  expect(failed[0]).toContain('access denied');
  expect(failed[1]).toContain('an older version would become current');
  expect((await scan()).tree.files(ROOT)).toBe(2);
  s3.setFaults(undefined);
  const last = await scan();
  await last.remove(last.nodes((path) => path === 'dir'));
  expect([last.failed, last.tree.nodes > 0, (await scan()).tree.size(ROOT)]).toEqual([[], true, 0]);
});

test('an incomplete listing is no smaller sum', async () => {
  s3.setFaults(({ operation }) =>
    operation === 'ListMultipartUploads' ? { status: 403 } : undefined,
  );
  const { tree, nodes, remove, failed } = await scan();
  expect(tree.errorOf(ROOT)).toContain('access denied');
  expect([tree.isWhole(ROOT), tree.failed(ROOT)]).toEqual([false, 1]);
  await remove(nodes((path) => path === 'other'));
  expect(failed[0]).toContain('an older version outside of this scan');
  expect(await remote.stat('other', OP)).toMatchObject({ size: 1 });
});
