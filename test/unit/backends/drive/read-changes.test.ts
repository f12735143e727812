import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChangedItem } from '../../../../src/core/changes.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { IDS_BY_TURNS } from '../../../servers/graph/odd-ids.ts';
import { startTestGraph, type TestGraph } from '../../../servers/graph/start-graph.ts';
import { openDrive } from '../../../support/open-drive.ts';
import { OP } from '../../../support/open-s3.ts';

let graph: TestGraph;

beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'business' }], pageSize: 2, maxPageSize: 2 });
  for (const path of ['a/one', 'a/b/two', 'three']) graph.drive.put(path, path);
});
afterEach(() => graph.stop());

/** Entries of a directory by name, as a listing tells them. */
async function idsIn(remote: Remote, dir: string): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  let cursor: string | undefined;
  do {
    const page = await remote.listPage(dir, cursor, OP);
    for (const { path, id } of page.entries) ids[path] = id ?? '';
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

async function changesOf(root: string, change: (remote: Remote) => Promise<void> | void) {
  const { remote } = await openDrive(graph, root);
  const ids = { ...(await idsIn(remote, '')), ...(await idsIn(remote, root === '' ? 'a' : 'b')) };
  const { changes } = remote.can;
  const first = await changes?.(undefined, OP);
  expect(first?.items).toBeUndefined();
  await change(remote);
  const told = await changes?.(first?.token, OP);
  const next = await changes?.(told?.token, OP);
  expect(next?.items).toEqual([]);
  await remote.close();
  return { ids, items: told?.items as readonly ChangedItem[] };
}

test('what is new or another is told with the directory it is in, by the ids of listings', async () => {
  const { ids, items } = await changesOf('', () => {
    graph.drive.put('a/one', 'another');
    graph.drive.put('new', 'new');
    graph.drive.put('a/b/four', 'new');
  });
  expect(items).toContainEqual({ id: ids['a/one'], parentId: ids['a'] });
  const parents = new Set(items.map(({ parentId }) => parentId));
  expect(parents).toEqual(new Set(['', ids['a'], ids['a/b']]));
});

test('ids that come in two forms are those of listings', async () => {
  await graph.stop();
  graph = await startTestGraph({ oddIds: IDS_BY_TURNS, pageSize: 2, maxPageSize: 2 });
  for (const path of ['a/one', 'a/b/two', 'three']) graph.drive.put(path, path);
  const { ids, items } = await changesOf('', () => {
    for (const path of ['a/one', 'a/b/two', 'three']) graph.drive.put(path, 'another');
  });
  for (const [path, parent] of [
    ['a/one', 'a'],
    ['a/b', 'a'],
  ] as const) {
    expect(items).toContainEqual({ id: ids[path], parentId: ids[parent] });
  }
  expect(items).toContainEqual({ id: ids['three'], parentId: '' });
});

test('what is gone is told by its id', async () => {
  const { ids, items } = await changesOf('', () => graph.drive.remove('a/one'));
  expect(items.map(({ id }) => id)).toContain(ids['a/one']);
});

test('the root of a remote below that of the drive is told as such', async () => {
  const { items } = await changesOf('a', () => {
    graph.drive.put('a/five', 'new');
  });
  expect(items.map(({ parentId }) => parentId)).toContain('');
});

test('own changes are among them', async () => {
  const { items } = await changesOf('', (remote) => remote.makeDir('made', OP));
  expect(items).toHaveLength(1);
});

test('where the service has forgotten the token anything may have changed', async () => {
  const { remote } = await openDrive(graph);
  const first = await remote.can.changes?.(undefined, OP);
  graph.forgetDeltaTokens();
  const told = await remote.can.changes?.(first?.token, OP);
  expect(told?.items).toBeUndefined();
  graph.drive.put('six', 'new');
  expect((await remote.can.changes?.(told?.token, OP))?.items).toHaveLength(1);
  await remote.close();
});
