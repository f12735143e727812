import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GraphClient } from './graph-client.ts';
import { failFirstGraph } from './graph-fault.ts';
import { startTestGraph, type TestGraph } from './start-graph.ts';

let graph: TestGraph;
let client: GraphClient;
beforeEach(async () => {
  graph = await startTestGraph({
    drives: [
      { type: 'personal', quota: 1000 },
      { type: 'business', name: 'Work' },
      { type: 'documentLibrary', site: 'Team One' },
      { type: 'documentLibrary', name: 'Shared Documents' },
      { type: 'personal', foreign: true },
    ],
  });
  client = new GraphClient(graph);
});
afterEach(() => graph.stop());

const idsOf = async (address: string) =>
  ((await client.send('GET', address)).json['value'] as { id: string }[]).map(({ id }) => id);

test('the user, and the drives of the account', async () => {
  expect((await client.send('GET', '/me')).json).toMatchObject({ displayName: 'Test User' });
  const [personal, business, , , foreign] = graph.drives;
  expect(await idsOf('/me/drives')).toEqual([personal?.id, business?.id]);
  expect((await client.send('GET', '/me/drive')).json).toMatchObject({
    id: personal?.id,
    driveType: 'personal',
    quota: { total: 1000, used: 0, remaining: 1000, deleted: 0 },
  });
  expect((await client.send('GET', `/drives/${foreign?.id}`)).status).toBe(200);
  expect((await client.send('GET', '/drives/none')).status).toBe(404);
});

test('sites: searched, by id, by path, with their libraries', async () => {
  const found = (await client.send('GET', '/sites?search=team')).json['value'];
  expect(found).toMatchObject([{ displayName: 'Team One' }]);
  const [{ id = '' } = {}] = found as { id?: string }[];
  const byPath = await client.send('GET', '/sites/contoso.sharepoint.com:/sites/Team%20One');
  expect(byPath.json['id']).toBe(id);
  expect(await idsOf(`/sites/${id}/drives`)).toEqual([graph.drives[2]?.id]);
  expect(await idsOf('/sites/root/drives')).toEqual([graph.drives[3]?.id]);
  expect((await client.send('GET', '/sites/none')).status).toBe(404);
  expect((await client.send('GET', '/sites?search=none')).json['value']).toEqual([]);
});

test('a shortcut names the item in the other drive', async () => {
  const [personal, business] = graph.drives;
  const target = business?.put('shared/file', 'x').parent;
  if (business !== undefined) personal?.addShortcut('Shortcut', business, 'shared');
  const { items } = await client.pages('/me/drive/root/children');
  expect(items).toMatchObject([
    {
      name: 'Shortcut',
      remoteItem: {
        id: target?.id,
        folder: { childCount: 1 },
        parentReference: { driveId: business?.id },
      },
    },
  ]);
  expect((await client.send('GET', '/me/drive/root:/Shortcut:/children')).status).toBe(404);
  expect((await client.send('GET', '/me/drive/root:/Shortcut/file')).status).toBe(404);
  expect(await idsOf('/me/drive/sharedWithMe')).toHaveLength(1);
});

test('without a token, and with one that is too old, there is nothing', async () => {
  expect((await client.send('GET', '/me', { anonymous: true })).status).toBe(401);
  graph.expireAccessTokens();
  expect(await client.send('GET', '/me')).toMatchObject({
    status: 401,
    code: 'InvalidAuthenticationToken',
  });
  client.token = graph.newToken().access_token;
  expect((await client.send('GET', '/me')).status).toBe(200);
  graph.advance(3601);
  expect((await client.send('GET', '/me')).status).toBe(401);
});

test('what is no address of the service is said so', async () => {
  expect((await client.send('GET', '/nothing')).status).toBe(400);
  expect((await client.send('POST', '/me/drive/root/nothing')).status).toBe(400);
  expect(graph.log.counts()).toEqual({ unknown: 2 });
});

describe('batches', () => {
  const batch = async (requests: unknown) => {
    const answer = await client.send('POST', '/$batch', { json: { requests } });
    const responses = (answer.json['responses'] ?? []) as { id: string; status: number }[];
    return { ...answer, byId: new Map(responses.map((one) => [one.id, one])) };
  };

  test('each request has its own answer', async () => {
    graph.drive.put('a', 'x');
    const { byId } = await batch([
      { id: '1', method: 'GET', url: '/me/drive/root:/a' },
      { id: '2', method: 'GET', url: '/me/drive/root:/none' },
      { id: '3', method: 'DELETE', url: '/me/drive/root:/a', dependsOn: ['2'] },
      {
        id: '4',
        method: 'POST',
        url: '/me/drive/root/children',
        headers: { 'Content-Type': 'application/json' },
        body: { name: 'new', folder: {} },
      },
      { id: '5', method: 'GET', url: '/me/drive/root:/a:/content' },
    ]);
    expect([...byId].map(([id, { status }]) => `${id} ${status}`).sort()).toEqual([
      '1 200',
      '2 404',
      '3 424',
      '4 201',
      '5 302',
    ]);
    expect(byId.get('1')).toMatchObject({ body: { name: 'a' } });
    expect(graph.drive.tree()).toEqual({ a: 'x', 'new/': '' });
    expect(graph.log.of('getItem').map(({ inBatch }) => inBatch)).toEqual([true, true]);
  });

  test('each is throttled by itself', async () => {
    graph.setFaults(failFirstGraph('getItem', 1, { status: 429, retryAfter: 3 }));
    const { status, byId } = await batch([
      { id: 'a', method: 'GET', url: '/me/drive/root' },
      { id: 'b', method: 'GET', url: '/me/drive/root' },
    ]);
    expect(status).toBe(200);
    expect(byId.get('a')).toMatchObject({ status: 429, headers: { 'retry-after': '3' } });
    expect(byId.get('b')?.status).toBe(200);
  });

  test('twenty, no more, each with an id', async () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ id: `${n}`, method: 'GET', url: '/me' }));
    expect((await batch(some(20))).byId.size).toBe(20);
    expect((await batch(some(21))).status).toBe(400);
    expect((await batch([...some(1), ...some(1)])).status).toBe(400);
    expect((await batch('none')).status).toBe(400);
  });
});
