import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from './graph-call.ts';
import { GraphClient } from './graph-client.ts';
import { startTestGraph, type TestGraph } from './start-graph.ts';

let graph: TestGraph;
let client: GraphClient;
beforeEach(async () => {
  graph = await startTestGraph({
    drives: [{ type: 'personal' }, { type: 'business' }],
    maxPageSize: 3,
  });
  client = new GraphClient(graph);
  for (const path of ['a/b/1', 'a/b/2', 'a/3', '4', '5']) graph.drive.put(path, path);
});
afterEach(() => graph.stop());

const START = '/me/drive/root/delta';
const namesOf = (items: readonly JsonObject[]) => items.map(({ name }) => name);
const linkOf = (last: JsonObject) => `${last['@odata.deltaLink']}`;

test('without a token: everything, parents first, without paths', async () => {
  const { items, sizes, last } = await client.pages(START);
  expect(namesOf(items)).toEqual(['root', 'a', 'b', '1', '2', '3', '4', '5']);
  expect(sizes).toEqual([3, 3, 2]);
  expect(items[2]).toMatchObject({ parentReference: { id: graph.drive.item('a').id } });
  expect(items[2]?.['parentReference']).not.toHaveProperty('path');
  const again = await client.pages(linkOf(last));
  expect(again.items).toEqual([]);
});

test('the folders above stay away when they are not wanted', async () => {
  const { last } = await client.pages(START);
  graph.drive.put('a/3', 'new');
  const headers = { prefer: 'deltaExcludeParent' };
  const next = await client.send('GET', linkOf(last), { headers });
  expect(namesOf(next.json['value'] as JsonObject[])).toEqual(['3']);
});

test('with a token: what changed, what is above it, and what was deleted', async () => {
  const { last } = await client.pages(START);
  const gone = graph.drive.item('4').id;
  const folder = graph.drive.item('a/b');
  graph.drive.put('a/3', 'new');
  graph.drive.remove('4');
  const next = await client.pages(linkOf(last));
  expect(next.items.filter((item) => item['deleted'] === undefined)).toHaveLength(3);
  expect(next.items.find((item) => item['id'] === gone)).toMatchObject({
    name: '4',
    deleted: { state: 'deleted' },
  });
  graph.drive.remove('a/b');
  const third = await client.pages(linkOf(next.last));
  expect(third.items.map(({ id }) => id)).toContain(folder.id);
  expect(third.items.filter((item) => item['deleted'] !== undefined)).toHaveLength(3);
});

test('deleted items have no name on business drives', async () => {
  const [, business] = graph.drives;
  const start = `/drives/${business?.id}/root/delta`;
  for (const name of ['x', 'y', 'z']) business?.put(`folder/${name}`, name);
  const { last, items } = await client.pages(start);
  expect(items).toHaveLength(5);
  expect(items.every((item) => item['cTag'] === undefined)).toBe(true);
  expect(linkOf(last)).toMatch(/delta\(token='[^']+'\)$/);
  business?.remove('folder/x');
  const next = await client.pages(linkOf(last));
  expect(next.items).toHaveLength(1);
  expect(next.items[0]).not.toHaveProperty('name');
  const below = `/drives/${business?.id}/root:/folder:/delta`;
  expect((await client.send('GET', below)).status).toBe(400);
});

test('what changes while pages are read is missed by nobody', async () => {
  const first = await client.send('GET', START);
  graph.drive.remove('a/b/1');
  graph.drive.put('6', 'new');
  const rest = await client.pages(`${first.json['@odata.nextLink']}`);
  expect(namesOf(rest.items)).toEqual(['2', '3', '4', '5']);
  const next = await client.pages(linkOf(rest.last));
  expect(namesOf(next.items)).toEqual(expect.arrayContaining(['6', '1']));
});

test('only a token, a token in the path', async () => {
  const latest = await client.send('GET', `${START}?token=latest`);
  expect(latest.json['value']).toEqual([]);
  graph.drive.put('6', 'new');
  const token = new URL(linkOf(latest.json)).searchParams.get('token');
  const inPath = await client.pages(`/me/drive/root/microsoft.graph.delta(token='${token}')`);
  expect(namesOf(inPath.items)).toEqual(['root', '6']);
  expect((await client.pages(linkOf(inPath.last))).items).toEqual([]);
  expect((await client.send('GET', `${START}?token=x`)).status).toBe(400);
});

test('duplicates: the last one counts', async () => {
  graph.settings.deltaDuplicates = true;
  const { items } = await client.pages(START);
  const byId = new Map(items.map((item) => [item['id'], item['name']]));
  expect(items).toHaveLength(16);
  expect([...byId.values()]).toEqual(['root', 'a', 'b', '1', '2', '3', '4', '5']);
  expect(items[1]?.['name']).not.toBe('a');
});

test('a token that was forgotten: 410, and where to start over', async () => {
  const { last } = await client.pages(START);
  graph.forgetDeltaTokens();
  const gone = await client.send('GET', linkOf(last));
  expect(gone).toMatchObject({ status: 410, code: 'resyncChangesApplyDifferences' });
  expect((await client.pages(gone.headers.get('location') ?? '')).items).toHaveLength(8);
});
