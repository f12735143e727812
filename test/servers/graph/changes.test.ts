import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GraphClient } from './graph-client.ts';
import { startTestGraph, type TestGraph } from './start-graph.ts';

let graph: TestGraph;
let client: GraphClient;
beforeEach(async () => {
  graph = await startTestGraph({
    drives: [{ type: 'personal' }, { type: 'business' }, { type: 'documentLibrary' }],
  });
  client = new GraphClient(graph);
});
afterEach(() => graph.stop());

const address = (path: string, drive = 0) => `/drives/${graph.drives[drive]?.id}/root:/${path}`;
const patch = (path: string, json: unknown, headers = {}) =>
  client.send('PATCH', address(path), { json, headers });

describe('folders', () => {
  const make = (json: unknown) =>
    client.send('POST', '/me/drive/root/children', { json: { folder: {}, ...(json as object) } });

  test('are made, or not when there is one, or under another name', async () => {
    expect((await make({ name: 'new' })).status).toBe(201);
    expect((await make({ name: 'NEW' })).status).toBe(409);
    const behavior = '@microsoft.graph.conflictBehavior';
    expect((await make({ name: 'new', [behavior]: 'rename' })).json['name']).toBe('new 1');
    const replaced = await make({ name: 'new', [behavior]: 'replace' });
    expect(replaced.json['id']).toBe(graph.drive.item('new').id);
    graph.drive.put('file', 'x');
    expect((await make({ name: 'file', [behavior]: 'replace' })).status).toBe(409);
    expect((await make({ folder: {} })).status).toBe(400);
  });

  test('take times on personal drives only', async () => {
    const fileSystemInfo = { lastModifiedDateTime: '2001-02-03T04:05:06Z' };
    await make({ name: 'new', fileSystemInfo });
    expect(graph.drive.item('new').modified).toBe(Date.UTC(2001, 1, 3, 4, 5, 6));
    await client.send('POST', `/drives/${graph.drives[1]?.id}/root/children`, {
      json: { name: 'new', folder: {}, fileSystemInfo },
    });
    expect(graph.drives[1]?.item('new').modified).toBeGreaterThan(Date.UTC(2020, 0));
  });
});

describe('restoring from the recycle bin', () => {
  const restore = (id: string, json: unknown = {}, drive = 0) =>
    client.send('POST', `/drives/${graph.drives[drive]?.id}/items/${id}/restore`, { json });

  test('brings back an item with its ID, content and all below it, and the space it takes', async () => {
    const item = graph.drive.put('dir/file', 'text');
    const dir = graph.drive.item('dir');
    const { used } = graph.drive.inside;
    await client.send('DELETE', address('dir'));
    expect(graph.drive.files()).toEqual([]);
    expect((await restore(dir.id)).json).toMatchObject({ id: dir.id, name: 'dir' });
    expect(graph.drive.files()).toEqual(['dir/file']);
    expect(graph.drive.item('dir/file').id).toBe(item.id);
    expect(graph.drive.inside.used).toBe(used);
    expect((await restore(dir.id)).status).toBe(400);
  });

  test('needs a free name and a folder, which may be another one', async () => {
    const { id } = graph.drive.put('dir/file', 'text');
    await client.send('DELETE', address('dir/file'));
    graph.drive.put('dir/file', 'other');
    expect((await restore(id)).status).toBe(409);
    const to = graph.drive.mkdir('to');
    const body = { name: 'new', parentReference: { id: to.id } };
    expect((await restore(id, body)).status).toBe(200);
    expect(graph.drive.files()).toEqual(['dir/file', 'to/new']);
    await client.send('DELETE', address('to/new'));
    await client.send('DELETE', address('to'));
    expect((await restore(id)).status).toBe(404);
    expect((await restore('nosuch')).status).toBe(404);
  });

  test('is refused by business drives', async () => {
    const drive = graph.drives[1];
    const { id } = drive?.put('file', 'x') ?? { id: '' };
    await client.send('DELETE', address('file', 1));
    expect((await restore(id, {}, 1)).status).toBe(400);
  });
});

describe('changing an item', () => {
  test('moves and renames at once, and loses the time unless it is sent along', async () => {
    const item = graph.drive.put('from/file', 'x', new Date('2001-01-01T00:00:00Z'));
    const { id } = graph.drive.mkdir('to');
    const json = { name: 'renamed', parentReference: { id } };
    expect((await patch('from/file', json)).json).toMatchObject({ id: item.id, name: 'renamed' });
    expect(graph.drive.files()).toEqual(['to/renamed']);
    expect(item.modified).toBeGreaterThan(Date.UTC(2020, 0));
    const times = { fileSystemInfo: { lastModifiedDateTime: '2001-01-01T00:00:00Z' } };
    await patch('to/renamed', { name: 'again', ...times });
    expect(item.modified).toBe(Date.UTC(2001, 0));
  });

  test('is refused for a taken name, another drive, a folder inside itself, an open file', async () => {
    graph.drive.put('a', 'a');
    graph.drive.put('b', 'b');
    graph.drive.mkdir('folder/below');
    expect(await patch('a', { name: 'B' })).toMatchObject({ status: 409 });
    const driveId = graph.drives[1]?.id;
    const id = graph.drives[1]?.mkdir('there').id;
    expect((await patch('a', { parentReference: { driveId, id } })).status).toBe(400);
    const below = graph.drive.item('folder/below').id;
    expect((await patch('folder', { parentReference: { id: below } })).status).toBe(400);
    graph.drive.lock('a');
    expect((await patch('a', { name: 'c' })).status).toBe(423);
    expect((await patch('no', { name: 'c' })).status).toBe(404);
    expect(graph.drive.files()).toEqual(['a', 'b']);
  });

  test('replaces a file when told to', async () => {
    graph.drive.put('a', 'a');
    graph.drive.put('b', 'b');
    const json = { name: 'b', '@microsoft.graph.conflictBehavior': 'replace' };
    expect((await patch('a', json)).status).toBe(200);
    expect(graph.drive.tree()).toEqual({ b: 'a' });
  });

  test('obeys If-Match', async () => {
    graph.drive.put('a', 'a');
    const { eTag } = (await client.send('GET', address('a'))).json;
    const headers = { 'if-match': `${eTag}` };
    const times = { fileSystemInfo: { lastModifiedDateTime: '2001-01-01T00:00:00Z' } };
    expect((await patch('a', times, headers)).status).toBe(200);
    expect((await patch('a', times, headers)).status).toBe(412);
    expect((await client.send('DELETE', address('a'), { headers })).status).toBe(412);
    expect(graph.drive.files()).toEqual(['a']);
  });

  test('of times makes a version on business drives, which counts', async () => {
    const business = graph.drives[1];
    business?.put('a', '12345');
    const json = { fileSystemInfo: { lastModifiedDateTime: '2001-01-01T00:00:00Z' } };
    await client.send('PATCH', address('a', 1), { json });
    expect(business?.inside.used).toBe(10);
    graph.drive.put('a', '12345');
    await patch('a', json);
    expect(graph.drive.inside.used).toBe(5);
  });
});

describe('deleting', () => {
  test('takes all that is in it; the bin counts for the quota', async () => {
    graph.drive.put('a/b/c', '12345');
    expect((await client.send('DELETE', address('a'))).status).toBe(204);
    expect((await client.send('DELETE', address('a'))).status).toBe(404);
    expect((await client.send('GET', '/me/drive')).json['quota']).toMatchObject({
      used: 5,
      deleted: 5,
    });
    expect((await client.send('DELETE', '/me/drive/root')).status).toBe(400);
  });

  test('stops at a file somebody has open', async () => {
    graph.drive.put('a/b', 'x');
    graph.drive.lock('a/b');
    expect((await client.send('DELETE', address('a'))).status).toBe(423);
    expect(graph.drive.files()).toEqual(['a/b']);
  });

  test('for good works on business drives only', async () => {
    graph.drive.put('a', '12345');
    graph.drives[1]?.put('a', '12345');
    expect((await client.send('POST', `${address('a')}:/permanentDelete`)).status).toBe(400);
    expect((await client.send('POST', `${address('a', 1)}:/permanentDelete`)).status).toBe(204);
    expect(graph.drives[1]?.inside.used).toBe(0);
  });
});

describe('copying', () => {
  const copy = async (path: string, json: unknown, query = '', drive = 0) => {
    const answer = await client.send('POST', `${address(path, drive)}:/copy${query}`, { json });
    return { ...answer, monitor: answer.headers.get('location') ?? '' };
  };
  const ask = (monitor: string) => client.send('GET', monitor, { anonymous: true });

  test('goes on by itself, as the monitor tells', async () => {
    graph.drive.put('a/b/c', 'x', new Date('2001-01-01T00:00:00Z'));
    graph.settings.copyPolls = 2;
    const { status, monitor } = await copy('a', { name: 'z' });
    expect(status).toBe(202);
    expect((await ask(monitor)).json).toMatchObject({ status: 'inProgress' });
    expect(graph.drive.find('z')).toBeUndefined();
    expect((await ask(monitor)).json).toMatchObject({ status: 'inProgress' });
    const done = await ask(monitor);
    const resourceId = graph.drive.item('z').id;
    expect(done).toMatchObject({ status: 200, json: { status: 'completed', resourceId } });
    expect(graph.drive.read('z/b/c')?.toString()).toBe('x');
    expect(graph.drive.item('z/b/c').modified).toBeGreaterThan(Date.UTC(2020, 0));
    graph.settings.copyRedirects = true;
    const there = await ask(monitor);
    expect(there.status).toBe(303);
    expect((await client.send('GET', there.headers.get('location') ?? '')).json['name']).toBe('z');
  });

  test('fails at the monitor when the name is taken, and replaces when told to', async () => {
    graph.settings.copyPolls = 0;
    graph.drive.put('a', 'a');
    graph.drive.put('b', 'b');
    const failed = await copy('a', { name: 'b' });
    expect(await ask(failed.monitor)).toMatchObject({
      status: 200,
      json: { status: 'failed', errorCode: 'nameAlreadyExists' },
    });
    const query = '?@microsoft.graph.conflictBehavior=replace';
    graph.settings.copyReplaces = false;
    const refused = await ask((await copy('a', { name: 'b' }, query)).monitor);
    expect(refused.json['status']).toBe('failed');
    graph.settings.copyReplaces = true;
    await ask((await copy('a', { name: 'b' }, query)).monitor);
    expect(graph.drive.tree()).toEqual({ a: 'a', b: 'a' });
  });

  test('between drives works between business drives only', async () => {
    graph.settings.copyPolls = 0;
    const library = graph.drives[2];
    graph.drives[1]?.put('a', 'a');
    graph.drive.put('a', 'a');
    const parentReference = { driveId: library?.id, id: library?.inside.root.id };
    const { monitor } = await copy('a', { parentReference }, '', 1);
    expect((await ask(monitor)).json['status']).toBe('completed');
    expect(library?.tree()).toEqual({ a: 'a' });
    expect((await copy('a', { parentReference })).status).toBe(400);
  });
});

test('versions: listed, read, restored, deleted', async () => {
  const business = graph.drives[1];
  const item = business?.put('a', 'first');
  business?.put('a', 'second!');
  const at = `/drives/${business?.id}/items/${item?.id}/versions`;
  const list = async () => (await client.send('GET', at)).json['value'];
  expect(await list()).toMatchObject([
    { id: '2.0', size: 7 },
    { id: '1.0', size: 5 },
  ]);
  const location = (await client.send('GET', `${at}/1.0/content`)).headers.get('location') ?? '';
  expect((await client.send('GET', location, { anonymous: true })).text).toBe('first');
  expect((await client.send('POST', `${at}/1.0/restoreVersion`)).status).toBe(204);
  expect(business?.read('a')?.toString()).toBe('first');
  expect((await client.send('DELETE', `${at}/2.0`)).status).toBe(204);
  expect((await client.send('DELETE', `${at}/3.0`)).status).toBe(400);
  expect(await list()).toMatchObject([{ id: '3.0' }, { id: '1.0' }]);
  expect(business?.inside.used).toBe('first'.length * 2);
});

test('links: made once, listed, removed', async () => {
  graph.drive.put('a', 'x');
  const link = (json: unknown, drive = 0) =>
    client.send('POST', `${address('a', drive)}:/createLink`, { json });
  const made = await link({ type: 'view', scope: 'anonymous' });
  expect(made.status).toBe(201);
  expect(await link({ type: 'view', scope: 'anonymous' })).toMatchObject({
    status: 200,
    json: { id: made.json['id'] },
  });
  expect((await link({ type: 'edit', password: 'secret' })).json['hasPassword']).toBe(true);
  expect((await link({ type: 'other' })).status).toBe(400);
  graph.drives[1]?.put('a', 'x');
  expect((await link({ type: 'embed' }, 1)).status).toBe(400);
  const permissions = `${address('a')}:/permissions`;
  expect((await client.send('GET', permissions)).json['value']).toHaveLength(3);
  const one = `${permissions}/${made.json['id']}`;
  expect((await client.send('DELETE', one)).status).toBe(204);
  expect((await client.send('DELETE', one)).status).toBe(404);
});
