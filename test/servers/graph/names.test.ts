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

const make = (name: string, drive = 0, folder = 'root') =>
  client.send('POST', `/drives/${graph.drives[drive]?.id}/items/${folder}/children`, {
    json: { name, folder: {} },
  });

describe('names that the service refuses', () => {
  const bad = [
    ...'"*:<>?/\\|\u0001\u007f'.split('').map((char) => `a${char}b`),
    ...[' lead', 'trail ', 'dot.', 'CON', 'con', 'Aux', 'com5', 'LPT0', '.lock', 'desktop.ini'],
    ...['~$x.docx', 'a_vti_b', '.', '..', ''],
  ];
  test.each(bad)('%j', async (name) => {
    expect(await make(name)).toMatchObject({ status: 400, code: 'invalidRequest' });
    expect(graph.drive.tree()).toEqual({});
  });

  test('in files as in folders, and when a name is changed', async () => {
    const put = await client.send('PUT', '/me/drive/root:/a%2Ab:/content', { body: 'x' });
    expect(put.status).toBe(400);
    const { id } = graph.drive.put('file', 'x');
    const json = { name: 'CON' };
    const renamed = await client.send('PATCH', `/me/drive/items/${id}`, { json });
    expect(renamed.status).toBe(400);
    expect(graph.drive.files()).toEqual(['file']);
  });

  test('some on certain drives only', async () => {
    expect((await make('~folder', 0)).status).toBe(201);
    expect((await make('~folder', 1)).status).toBe(400);
    expect((await make('forms', 1)).status).toBe(201);
    expect((await make('Forms', 2)).status).toBe(400);
    const { id } = graph.drives[2]?.mkdir('below') ?? {};
    expect((await make('forms', 2, id)).status).toBe(201);
  });
});

test('signs that are allowed come back as they were', async () => {
  for (const name of ['100% & #1 +.txt', "it's", '＊', 'a~b', 'CON.txt', 'ümlaut', '.hidden']) {
    expect(await make(name)).toMatchObject({ status: 201, json: { name } });
    const found = await client.send('GET', `/me/drive/root:/${encodeURIComponent(name)}`);
    expect(found).toMatchObject({ status: 200, json: { name } });
  }
});

test('255 characters in a name, 400 in a path', async () => {
  expect((await make('n'.repeat(255))).status).toBe(201);
  expect(await make('m'.repeat(256))).toMatchObject({ status: 400, code: 'pathIsTooLong' });
  const { id } = graph.drive.mkdir(`${'a'.repeat(200)}/${'b'.repeat(190)}`);
  expect((await make('c'.repeat(8), 0, id)).status).toBe(201);
  expect(await make('c'.repeat(9), 0, id)).toMatchObject({ status: 400, code: 'pathIsTooLong' });
});

test('case is kept and does not count', async () => {
  graph.drive.put('Folder/File.TXT', 'x');
  const found = await client.send('GET', '/me/drive/root:/fOLDER/file.txt');
  expect(found).toMatchObject({ status: 200, json: { name: 'File.TXT' } });
  expect(await make('FOLDER')).toMatchObject({ status: 409, code: 'nameAlreadyExists' });
  const renamed = await client.send('PATCH', `/me/drive/items/${found.json['id']}`, {
    json: { name: 'file.txt' },
  });
  expect(renamed.json).toMatchObject({ name: 'file.txt', id: found.json['id'] });
  expect(graph.drive.files()).toEqual(['Folder/file.txt']);
});
