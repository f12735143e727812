import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GraphClient } from './graph-client.ts';
import { startTestGraph, type TestGraph } from './start-graph.ts';

const UNIT = 320 * 1024;
const CONTENT = Buffer.from(Array.from({ length: 2 * UNIT + 100 }, (_, n) => n % 251));
const TOTAL = CONTENT.length;

let graph: TestGraph;
let client: GraphClient;
beforeEach(async () => {
  graph = await startTestGraph();
  client = new GraphClient(graph);
});
afterEach(() => graph.stop());

const piece = (url: string, from: number, to: number, total = TOTAL) =>
  client.fragment(url, from, CONTENT.subarray(from, to), total);

describe('content in one request', () => {
  const put = (path: string, body: string | Buffer, headers = {}) =>
    client.send('PUT', `/me/drive/root:/${path}:/content`, { body, headers });

  test('makes the file and the folders above it, then replaces it', async () => {
    expect(await put('a/b/c.txt', 'one')).toMatchObject({ status: 201, json: { size: 3 } });
    expect(await put('A/B/C.txt', 'three')).toMatchObject({ status: 200, json: { size: 5 } });
    expect(graph.drive.tree()).toEqual({ 'a/': '', 'a/b/': '', 'a/b/c.txt': 'three' });
    expect(graph.drive.item('a/b/c.txt').versions).toHaveLength(1);
  });

  test('is refused above the limit, over a folder, below a file, without space', async () => {
    graph.settings.maxContentBytes = 10;
    expect((await put('big', '12345678901')).status).toBe(413);
    graph.drive.mkdir('folder');
    expect(await put('folder', 'x')).toMatchObject({ status: 409, code: 'nameAlreadyExists' });
    graph.drive.put('file', 'x');
    expect((await put('file/below', 'x')).status).toBe(409);
    graph.drive.inside.quota = 5;
    expect(await put('more', '12345')).toMatchObject({ status: 507, code: 'quotaLimitReached' });
    expect(graph.drive.files()).toEqual(['file']);
  });

  test('obeys the conflict behaviour', async () => {
    graph.drive.put('x.txt', 'old');
    const named = (behavior: string) =>
      client.send(
        'PUT',
        `/me/drive/root:/x.txt:/content?@microsoft.graph.conflictBehavior=${behavior}`,
        { body: behavior },
      );
    expect((await named('fail')).status).toBe(409);
    expect((await named('rename')).json['name']).toBe('x 1.txt');
    expect((await named('replace')).status).toBe(200);
    expect((await named('other')).status).toBe(400);
    expect(graph.drive.tree()).toEqual({ 'x.txt': 'replace', 'x 1.txt': 'rename' });
  });

  test('is refused for another eTag, and for a file somebody has open', async () => {
    graph.drive.put('x', 'old');
    const { eTag } = (await client.send('GET', '/me/drive/root:/x')).json;
    graph.drive.put('x', 'changed meanwhile');
    const late = await put('x', 'new', { 'if-match': `${eTag}` });
    expect(late).toMatchObject({ status: 412, code: 'resourceModified' });
    graph.drive.lock('x');
    expect(await put('x', 'new')).toMatchObject({ status: 423, code: 'resourceLocked' });
    expect(graph.drive.read('x')?.toString()).toBe('changed meanwhile');
  });
});

describe('upload sessions', () => {
  test('take fragments in turn; the file is there after the last one only', async () => {
    const item = { fileSystemInfo: { lastModifiedDateTime: '2001-02-03T04:05:06.789Z' } };
    const url = await client.session('new/file', { item });
    expect(url).not.toContain(graph.url);
    expect(await piece(url, 0, UNIT)).toMatchObject({
      status: 202,
      json: { nextExpectedRanges: [`${UNIT}-${TOTAL - 1}`] },
    });
    expect(graph.drive.tree()).toEqual({});
    expect((await client.send('GET', url)).json).toMatchObject({
      nextExpectedRanges: [`${UNIT}-${TOTAL - 1}`],
    });
    expect((await piece(url, UNIT, 2 * UNIT)).status).toBe(202);
    expect(await piece(url, 2 * UNIT, TOTAL)).toMatchObject({
      status: 201,
      json: { size: TOTAL, fileSystemInfo: { lastModifiedDateTime: '2001-02-03T04:05:06Z' } },
    });
    expect(graph.drive.read('new/file')?.equals(CONTENT)).toBe(true);
    expect((await client.send('GET', url)).status).toBe(404);
  });

  test('refuse what is there, what leaves a gap, what is no multiple', async () => {
    const url = await client.session('file');
    expect((await piece(url, 0, 1000)).status).toBe(400);
    expect((await piece(url, 0, UNIT)).status).toBe(202);
    expect(await piece(url, 0, UNIT)).toMatchObject({ status: 416, code: 'fragmentOverlap' });
    expect((await piece(url, 2 * UNIT, TOTAL)).status).toBe(416);
    expect((await piece(url, UNIT, 2 * UNIT, TOTAL + 1)).status).toBe(400);
    const headers = { 'content-range': `bytes ${UNIT}-${TOTAL - 1}/${TOTAL}` };
    expect((await client.send('PUT', url, { body: 'short', headers })).status).toBe(400);
    expect((await client.send('PUT', url, { body: 'without range' })).status).toBe(400);
    expect((await piece(url, UNIT, TOTAL)).status).toBe(201);
  });

  test('end by DELETE and by time; every fragment gives them more', async () => {
    const cancelled = await client.session('cancelled');
    expect((await client.send('DELETE', cancelled)).status).toBe(204);
    expect((await piece(cancelled, 0, UNIT)).status).toBe(404);
    const url = await client.session('late');
    graph.advance(600);
    expect((await piece(url, 0, UNIT)).status).toBe(202);
    graph.advance(600);
    expect((await piece(url, UNIT, 2 * UNIT)).status).toBe(202);
    graph.advance(901);
    expect((await piece(url, 2 * UNIT, TOTAL)).status).toBe(404);
    expect(graph.drive.tree()).toEqual({});
  });

  test('replace unless they are told otherwise', async () => {
    graph.drive.put('there', 'old');
    const fail = { item: { '@microsoft.graph.conflictBehavior': 'fail' } };
    const refused = await client.send('POST', '/me/drive/root:/there:/createUploadSession', {
      json: fail,
    });
    expect(refused.status).toBe(409);
    const url = await client.session('there');
    expect((await piece(url, 0, TOTAL)).status).toBe(200);
    expect(graph.drive.read('there')?.equals(CONTENT)).toBe(true);
  });

  test('keep their bytes when the name was taken meanwhile', async () => {
    const url = await client.session('name', {
      item: { '@microsoft.graph.conflictBehavior': 'fail' },
    });
    graph.drive.put('name', 'somebody else');
    expect((await piece(url, 0, TOTAL)).status).toBe(409);
    expect((await client.send('GET', url)).json).toMatchObject({ nextExpectedRanges: [] });
    const commit = await client.send('PUT', '/me/drive/root', {
      json: { name: 'other', '@microsoft.graph.sourceUrl': url },
    });
    expect(commit).toMatchObject({ status: 201, json: { name: 'other', size: TOTAL } });
    expect(graph.drive.read('name')?.toString()).toBe('somebody else');
    expect(graph.drive.read('other')?.equals(CONTENT)).toBe(true);
  });

  test('wait for an order to finish when they were told to', async () => {
    const url = await client.session('deferred', { deferCommit: true });
    expect((await piece(url, 0, TOTAL)).status).toBe(202);
    expect(graph.drive.tree()).toEqual({});
    expect((await client.send('POST', url)).status).toBe(201);
    expect(graph.drive.read('deferred')?.equals(CONTENT)).toBe(true);
  });

  test('look at the eTag when they end', async () => {
    graph.drive.put('file', 'old');
    const { eTag } = (await client.send('GET', '/me/drive/root:/file')).json;
    const started = await client.send('POST', '/me/drive/root:/file:/createUploadSession', {
      headers: { 'if-match': `${eTag}` },
    });
    graph.drive.put('file', 'changed meanwhile');
    const url = `${started.json['uploadUrl']}`;
    expect((await piece(url, 0, TOTAL)).status).toBe(412);
    expect(graph.drive.read('file')?.toString()).toBe('changed meanwhile');
  });

  test('refuse a file that does not fit before a byte is sent, or at its end', async () => {
    graph.drive.inside.quota = 1000;
    const address = '/me/drive/root:/big:/createUploadSession';
    const json = { item: { fileSize: TOTAL } };
    expect((await client.send('POST', address, { json })).status).toBe(507);
    graph.settings.refusesFileSize = true;
    expect((await client.send('POST', address, { json })).status).toBe(400);
    const url = await client.session('big');
    expect(await piece(url, 0, TOTAL)).toMatchObject({ status: 507, code: 'quotaLimitReached' });
    graph.drive.inside.quota = 2 * TOTAL;
    expect((await client.send('POST', url)).status).toBe(201);
  });

  test('refuse a token where they are told to', async () => {
    graph.settings.refuseTokenAt = ['upload'];
    const url = await client.session('file');
    const headers = { 'content-range': `bytes 0-0/1` };
    expect((await client.send('PUT', url, { body: 'x', headers })).status).toBe(401);
    expect((await client.send('PUT', url, { body: 'x', headers, anonymous: true })).status).toBe(
      201,
    );
  });
});

describe('Office files in a library', () => {
  const options = { drives: [{ type: 'documentLibrary' as const }] };

  test('have another size and hash in the answer already, or later', async () => {
    await graph.stop();
    graph = await startTestGraph(options);
    client = new GraphClient(graph);
    const put = (path: string) =>
      client.send('PUT', `/me/drive/root:/${path}:/content`, { body: 'text' });
    expect((await put('plain.txt')).json).toMatchObject({ size: 4 });
    const { size } = (await put('a.docx')).json;
    expect(size).toBeGreaterThan(4);
    graph.settings.rewritesOffice = 'later';
    expect((await put('b.docx')).json).toMatchObject({ size: 4 });
    await sleep(1);
    expect(graph.drive.item('b.docx').content?.size).toBe(size);
    graph.settings.rewritesOffice = 'never';
    expect((await put('c.docx')).json).toMatchObject({ size: 4 });
  });
});
