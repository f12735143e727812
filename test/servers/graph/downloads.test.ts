import { afterEach, beforeEach, expect, test } from 'vitest';
import { GraphClient } from './graph-client.ts';
import { startTestGraph, type TestGraph } from './start-graph.ts';

let graph: TestGraph;
let client: GraphClient;
let url: string;
beforeEach(async () => {
  graph = await startTestGraph();
  client = new GraphClient(graph);
  graph.drive.put('file.bin', '0123456789');
  url = `${(await client.send('GET', '/me/drive/root:/file.bin')).json['@microsoft.graph.downloadUrl']}`;
});
afterEach(() => graph.stop());

const get = (range?: string) =>
  client.send('GET', url, {
    anonymous: true,
    ...(range !== undefined && { headers: { range } }),
  });

test('the content lies at an address on another host that needs no token', async () => {
  expect(new URL(url).origin).not.toBe(graph.url);
  expect(await get()).toMatchObject({ status: 200, text: '0123456789' });
  const redirect = await client.send('GET', '/me/drive/root:/file.bin:/content');
  expect(redirect.status).toBe(302);
  const other = redirect.headers.get('location') ?? '';
  expect(other).not.toBe(url);
  expect((await client.send('GET', other, { anonymous: true })).text).toBe('0123456789');
});

test('ranges', async () => {
  const part = await get('bytes=2-4');
  expect(part).toMatchObject({ status: 206, text: '234' });
  expect(part.headers.get('content-range')).toBe('bytes 2-4/10');
  expect((await get('bytes=7-')).text).toBe('789');
  expect((await get('bytes=-2')).text).toBe('89');
  expect((await get('bytes=8-100')).headers.get('content-range')).toBe('bytes 8-9/10');
  const outside = await get('bytes=10-');
  expect(outside.status).toBe(416);
  expect(outside.headers.get('content-range')).toBe('bytes */10');
  expect(await get('bytes=0-1,4-5')).toMatchObject({ status: 200, text: '0123456789' });
  graph.settings.ignoreRanges = true;
  expect(await get('bytes=2-4')).toMatchObject({ status: 200, text: '0123456789' });
});

test('the address is good for a while only', async () => {
  graph.advance(3601);
  expect((await get()).status).toBe(401);
  graph.settings.expiredDownloadStatus = 404;
  expect((await get()).status).toBe(404);
});

test('a token at the address is refused where that is wanted', async () => {
  expect((await client.send('GET', url)).status).toBe(200);
  graph.settings.refuseTokenAt = ['download'];
  expect((await client.send('GET', url)).status).toBe(401);
  expect((await get()).status).toBe(200);
});

test('what was deleted is gone, at its address, too', async () => {
  graph.drive.remove('file.bin');
  expect((await get()).status).toBe(404);
});

test('folders and notebooks have no content', async () => {
  graph.drive.mkdir('folder');
  graph.drive.addPackage('Notebook');
  for (const name of ['folder', 'Notebook']) {
    expect((await client.send('GET', `/me/drive/root:/${name}:/content`)).status).toBe(400);
  }
});
