import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localRemote } from '../../../../src/backends/local/local-remote.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
import { around } from '../../../../src/core/around.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { etagOf } from '../../../../src/serve/files/entry-headers.ts';
import { type DavResponse, davWorld, LOCK_INFO } from '../../../support/dav-world.ts';
import { contentsOf, remoteWith } from '../../../support/memory-world.ts';

const op = { signal: new AbortController().signal };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'syncer-put-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A server of `root`. */
const diskWorld = () =>
  davWorld(
    localRemote(localSettings({ name: '', root, options: {} }), {
      ...{ ...op, clock: systemClock, emit: () => {} },
    }),
  );

/** A body that is read until its last piece, for which `change` is waited for. */
const slowBody = (change: () => Promise<unknown>) =>
  Readable.from(
    (async function* () {
      yield Buffer.from('put ');
      await change();
      yield Buffer.from('body');
    })(),
  );

test('PUT with If-None-Match replaces nothing that a disk has when the body has arrived', async () => {
  const { dav } = diskWorld();
  const headers = { 'if-none-match': '*' };
  await writeFile(join(root, 'f'), 'F');
  const move = () => dav('MOVE', 'f', { headers: { destination: '/z', overwrite: 'F' } });
  expect(await dav('PUT', 'z', { headers, body: slowBody(move) })).toBe(412);
  expect(await readdir(root)).toEqual(['z']);
  expect(await readFile(join(root, 'z'), 'utf8')).toBe('F');
  expect(await dav('PUT', 'y', { headers, body: slowBody(async () => {}) })).toBe(201);
  expect(await readFile(join(root, 'y'), 'utf8')).toBe('put body');
});

test('PUT with If-Match replaces only the file that it was about', async () => {
  const { tree, dav } = diskWorld();
  await writeFile(join(root, 'z'), 'old');
  const found = await tree.find('z', op);
  const etag = found?.kind === 'file' ? etagOf(found, tree.options) : undefined;
  const headers = { 'if-match': String(etag) };
  const change = () => dav('PUT', 'z', { body: 'changed' });
  expect(await dav('PUT', 'z', { headers, body: slowBody(change) })).toBe(412);
  expect(await readFile(join(root, 'z'), 'utf8')).toBe('changed');
  const any = { 'if-match': '*' };
  expect(await dav('PUT', 'z', { headers: any, body: slowBody(async () => {}) })).toBe(204);
  expect(await readFile(join(root, 'z'), 'utf8')).toBe('put body');
});

test.each([
  ['a disk', async () => diskWorld()],
  ['a store', async () => davWorld(await remoteWith({}))],
])('PUT to %s replaces no file that another client has locked by then', async (_, world) => {
  const { tree, dav } = await world();
  expect(await dav('PUT', 'z', { body: 'old' })).toBe(201);
  const lock = async () => expect(await dav('LOCK', 'z', { body: LOCK_INFO })).toBe(200);
  expect(await dav('PUT', 'z', { body: slowBody(lock) })).toBe(423);
  expect(Object.values(await contentsOf(tree.remote))).toEqual([expect.stringMatching(/^old@/)]);
});

test.each(['MOVE', 'COPY', 'MKCOL'])('%s needs what its conditions name', async (method) => {
  const { tree, dav } = diskWorld();
  await writeFile(join(root, 'a'), 'A');
  const found = await tree.find('a', op);
  const etag = found?.kind === 'file' ? String(etagOf(found, tree.options)) : '';
  const path = method === 'MKCOL' ? 'new' : 'a';
  const wrong = { destination: '/b', 'if-match': '"other"' };
  expect(await dav(method, path, { headers: wrong })).toBe(412);
  expect(await readdir(root)).toEqual(['a']);
  const right = method === 'MKCOL' ? { 'if-none-match': '*' } : { 'if-match': etag };
  expect(await dav(method, path, { headers: { destination: '/b', ...right } })).toBe(201);
});

test('LOCK of a new name replaces nothing that a disk has by then', async () => {
  const { remote, dav } = diskWorldOf(async () => writeFile(join(root, 'z'), 'other'));
  expect(remote.traits.onDisk).toBe(true);
  expect(await dav('LOCK', 'z', { body: LOCK_INFO })).toBe(412);
  expect(await readFile(join(root, 'z'), 'utf8')).toBe('other');
});

/** A server of `root` where `before` runs before each write. */
function diskWorldOf(before: () => Promise<void>) {
  const { remote } = diskWorld().tree;
  const slow = around(remote, {
    async write(source, own) {
      await before();
      return remote.write(source, own);
    },
  });
  return { remote: slow, ...davWorld(slow) };
}

test.each([
  ['1600000000.5', {}, {}, 'accepted'],
  ['yesterday', {}, {}, undefined],
  ['1600000000.5', { noModTime: true }, {}, undefined],
  ['1600000000.5', {}, { modTimePrecision: undefined }, undefined],
])('X-OC-Mtime: %s with %o on %o is %s', async (time, options, memory, expected) => {
  const { dav } = davWorld(await remoteWith({}, memory), options);
  let sent: DavResponse['headers'] = {};
  const onResponse = ({ headers }: DavResponse) => {
    sent = headers;
  };
  expect(await dav('PUT', 'f', { headers: { 'x-oc-mtime': time }, onResponse })).toBe(201);
  expect(sent['x-oc-mtime']).toBe(expected);
});
