import { afterEach, beforeEach, expect, test } from 'vitest';
import { GraphClient } from './graph-client.ts';
import { startTestGraph, type TestGraph } from './start-graph.ts';

let graph: TestGraph;
let client: GraphClient;
beforeEach(async () => {
  graph = await startTestGraph({ drives: [{ type: 'personal' }, { type: 'business' }] });
  client = new GraphClient(graph);
  for (let n = 10; n < 35; n++) graph.drive.put(`folder/file ${n}`, `${n}`);
});
afterEach(() => graph.stop());

const CHILDREN = '/me/drive/root:/folder:/children';

test('pages are as long as the client asks for, but never longer than the service wants', async () => {
  expect((await client.pages(CHILDREN)).sizes).toEqual([25]);
  const asked = await client.pages(`${CHILDREN}?$top=10`);
  expect(asked.sizes).toEqual([10, 10, 5]);
  expect(asked.items.map(({ name }) => name)).toEqual(
    graph.drive.files().map((path) => path.slice('folder/'.length)),
  );
  graph.settings.maxPageSize = 4;
  expect((await client.pages(`${CHILDREN}?$top=10`)).sizes).toEqual([4, 4, 4, 4, 4, 4, 1]);
  graph.settings.pageSize = 3;
  expect((await client.pages(CHILDREN)).sizes).toHaveLength(9);
  expect((await client.send('GET', `${CHILDREN}?$top=0`)).status).toBe(400);
});

test('empty pages may come in between', async () => {
  graph.settings.emptyPages = true;
  const { sizes, items } = await client.pages(`${CHILDREN}?$top=10`);
  expect(sizes).toEqual([0, 10, 0, 10, 0, 5]);
  expect(items).toHaveLength(25);
  graph.drive.mkdir('nothing');
  expect((await client.pages('/me/drive/root:/nothing:/children')).sizes).toEqual([0]);
});

test('a link to a page is good for its folder only', async () => {
  const first = await client.send('GET', `${CHILDREN}?$top=5`);
  const token = new URL(`${first.json['@odata.nextLink']}`).searchParams.get('$skiptoken');
  const address = `/me/drive/root/children?$skiptoken=${token}`;
  expect((await client.send('GET', address)).status).toBe(400);
  expect((await client.send('GET', `${CHILDREN}?$skiptoken=abc`)).status).toBe(400);
});

test('a page goes on where the last one ended, whatever was deleted meanwhile', async () => {
  const first = await client.send('GET', `${CHILDREN}?$top=10`);
  for (let n = 10; n < 22; n++) graph.drive.remove(`folder/file ${n}`);
  const rest = await client.pages(`${first.json['@odata.nextLink']}`);
  expect(rest.items[0]).toMatchObject({ name: 'file 22' });
  expect(rest.items).toHaveLength(13);
});

test('an item can be had by id and by path, in every form of the address', async () => {
  const item = graph.drive.item('folder/file 12');
  const folder = graph.drive.item('folder');
  const drive = `/drives/${graph.drive.id.toLowerCase()}`;
  const forms = [
    `/me/drive/items/${item.id}`,
    `/me/drive/items/${encodeURIComponent(item.id)}:`,
    `${drive}/items/${item.id.toLowerCase()}`,
    '/me/drive/root:/folder/file%2012',
    '/me/drive/root:/folder/file%2012:',
    `${drive}/items/${folder.id}:/file%2012:`,
    `${drive}/items/root:/FOLDER/FILE%2012:/`,
  ];
  for (const form of forms) {
    expect(await client.send('GET', form), form).toMatchObject({
      status: 200,
      json: { id: item.id, name: 'file 12', size: 2 },
    });
  }
  for (const form of ['/me/drive/items/NO!1', '/drives/none/root', '/me/drive/root:/no/file']) {
    expect(await client.send('GET', form), form).toMatchObject({
      status: 404,
      code: 'itemNotFound',
    });
  }
});

test('the cloud of China knows quoted names only', async () => {
  graph.settings.pathAddresses = false;
  graph.drive.put("folder/it's", 'x');
  expect((await client.send('GET', '/me/drive/root:/folder')).status).toBe(400);
  const read = async (address: string) =>
    (await client.send('GET', `/me/drive/${address}`)).json['name'];
  expect(await read("root/children('FOLDER')")).toBe('folder');
  expect(await read("root/children('@a')?@a='folder/file 12'")).toBe('file 12');
  const folder = `items/${graph.drive.item('folder').id}`;
  expect(await read(`${folder}/children('it''s')`)).toBe("it's");
  expect((await client.pages("/me/drive/root/children('folder')/children")).items).toHaveLength(26);
  const put = `/me/drive/${folder}/children('new%20%23.txt')/content`;
  expect((await client.send('PUT', put, { body: 'new' })).status).toBe(201);
  expect(graph.drive.read('folder/new #.txt')?.toString()).toBe('new');
});

test('items show what their drive has', async () => {
  const [personal, business] = graph.drives;
  business?.put('folder/file', 'x');
  const read = async (drive: string | undefined, path: string) =>
    (await client.send('GET', `/drives/${drive}/root:/${path}`)).json;
  const mine = await read(personal?.id, 'folder/file%2010');
  expect(Object.keys((mine['file'] as { hashes: object }).hashes)).toEqual([
    'quickXorHash',
    'sha1Hash',
    'sha256Hash',
  ]);
  const theirs = await read(business?.id, 'folder/file');
  expect(Object.keys((theirs['file'] as { hashes: object }).hashes)).toEqual(['quickXorHash']);
  expect(await read(personal?.id, 'folder')).toHaveProperty('cTag');
  expect(await read(business?.id, 'folder')).not.toHaveProperty('cTag');
  graph.settings.withoutHashes = true;
  expect((await read(business?.id, 'folder/file'))['file']).not.toHaveProperty('hashes');
});

test('$select leaves the rest out', async () => {
  const { items } = await client.pages(`${CHILDREN}?$select=id,name&$top=20`);
  expect(items.map((item) => Object.keys(item).sort())).toEqual(
    Array.from({ length: 25 }, () => ['id', 'name']),
  );
});

test('eTags change with the item, cTags with the content only', async () => {
  const read = async () => (await client.send('GET', '/me/drive/root:/folder/file%2010')).json;
  const before = await read();
  await client.send('PATCH', `/me/drive/items/${before['id']}`, {
    json: { fileSystemInfo: { lastModifiedDateTime: '2020-01-01T00:00:00Z' } },
  });
  const touched = await read();
  expect(touched['eTag']).not.toBe(before['eTag']);
  expect(touched['cTag']).toBe(before['cTag']);
  graph.drive.put('folder/file 10', 'new');
  expect((await read())['cTag']).not.toBe(before['cTag']);
});

test('another base path', async () => {
  await graph.stop();
  graph = await startTestGraph({ basePath: '/somewhere/beta' });
  client = new GraphClient(graph);
  expect((await client.send('GET', '/me/drive')).status).toBe(200);
  expect((await client.send('GET', `${graph.url}/v1.0/me/drive`)).status).toBe(400);
});
