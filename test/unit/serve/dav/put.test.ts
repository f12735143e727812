import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { localRemote } from '../../../../src/backends/local/local-remote.ts';
import { localSettings } from '../../../../src/backends/local/local-settings.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { etagOf } from '../../../../src/serve/files/call.ts';
import { startTestS3, type TestS3 } from '../../../servers/test-s3.ts';
import { type DavResponse, davWorld, LOCK_INFO } from '../../../support/dav-world.ts';
import { layered } from '../../../support/layered.ts';
import { contentsOf, remoteWith } from '../../../support/memory-world.ts';
import { openS3 } from '../../../support/open-s3.ts';

const op = { signal: new AbortController().signal };

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'syncer-put-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

let s3: TestS3 | undefined;
afterAll(() => s3?.stop());

/** A server of a new bucket. */
async function storeWorld() {
  s3 ??= await startTestS3();
  const bucket = `b${++buckets}`;
  await mkdir(join(s3.root, bucket));
  return davWorld((await openS3(s3, bucket)).remote);
}
let buckets = 0;

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

test('PUT with If-Match notices that a disk got another file in the same millisecond', async () => {
  const { tree, dav } = diskWorld();
  const now = vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
  try {
    expect(await dav('PUT', 'z', { body: 'one' })).toBe(201);
    const found = await tree.find('z', op);
    const etag = found?.kind === 'file' ? etagOf(found, tree.options) : undefined;
    expect(await dav('PUT', 'z', { body: 'two' })).toBe(204);
    const headers = { 'if-match': String(etag) };
    expect(await dav('PUT', 'z', { headers, body: 'new' })).toBe(412);
  } finally {
    now.mockRestore();
  }
});

const WORLDS = [
  ['a disk', async () => diskWorld()],
  ['memory', async () => davWorld(await remoteWith({}))],
  ['a store', storeWorld],
] as const;
/** How the bodies of `slowBody` are sent. */
const SENT = [{ 'content-length': '8' }, {}];
const SLOW = WORLDS.flatMap(([name, world]) => SENT.map((sent) => ({ name, world, sent })));

test.each(WORLDS)(
  'PUT to %s replaces no file that another client has locked by then',
  async (_, world) => {
    const { tree, dav } = await world();
    expect(await dav('PUT', 'z', { body: 'old' })).toBe(201);
    const lock = async () => expect(await dav('LOCK', 'z', { body: LOCK_INFO })).toBe(200);
    expect(await dav('PUT', 'z', { body: slowBody(lock) })).toBe(423);
    expect(Object.values(await contentsOf(tree.remote))).toEqual([expect.stringMatching(/^old@/)]);
  },
);

test.each(SLOW)('PUT to $name ($sent) replaces no directory', async ({ world, sent }) => {
  const { tree, dav } = await world();
  const change = async () => {
    expect(await dav('MKCOL', 'q')).toBe(201);
    expect(await dav('PUT', 'q/in', { body: 'in' })).toBe(201);
  };
  expect(await dav('PUT', 'q', { headers: sent, body: slowBody(change) })).toBe(405);
  expect(await contentsOf(tree.remote)).toEqual({ 'q/in': expect.stringMatching(/^in@/) });
});

test.each(SLOW)('PUT to $name ($sent) creates no directory', async ({ world, sent }) => {
  const { tree, dav } = await world();
  const slowly = async (above: string, change: () => Promise<unknown>) => {
    expect(await dav('MKCOL', above)).toBe(201);
    return dav('PUT', `${above}/f`, { headers: sent, body: slowBody(change) });
  };
  expect(await slowly('a', () => dav('DELETE', 'a'))).toBe(409);
  const move = () => dav('MOVE', 'b', { headers: { destination: '/c' } });
  expect(await slowly('b', move)).toBe(409);
  const replace = async () => {
    expect(await dav('DELETE', 'd')).toBe(204);
    expect(await dav('PUT', 'd', { body: 'file' })).toBe(201);
  };
  expect(await slowly('d', replace)).toBe(409);
  expect(await tree.find('c', op)).toBeDefined();
  const { 'c/': _, ...files } = await contentsOf(tree.remote);
  expect(files).toEqual({ d: expect.stringMatching(/^file@/) });
});

test.each(SLOW)('PUT to $name ($sent) with conditions', async ({ world, sent }) => {
  const { tree, dav } = await world();
  const slowly = (condition: Record<string, string>, change: () => Promise<unknown>) =>
    dav('PUT', 'z', { headers: { ...sent, ...condition }, body: slowBody(change) });
  const other = () => dav('PUT', 'z', { body: 'other' });
  expect(await slowly({ 'if-none-match': '*' }, other)).toBe(412);
  const found = await tree.find('z', op);
  const etag = found?.kind === 'file' ? etagOf(found, tree.options) : undefined;
  const longer = () => dav('PUT', 'z', { body: 'longer than the other' });
  expect(await slowly({ 'if-match': String(etag) }, longer)).toBe(412);
  expect(await contentsOf(tree.remote)).toEqual({ z: expect.stringMatching(/^longer/) });
  expect(await slowly({ 'if-match': '*' }, () => dav('DELETE', 'z'))).toBe(412);
  expect(await slowly({}, other)).toBe(204);
  expect(await slowly({}, () => dav('DELETE', 'z'))).toBe(201);
  expect(await contentsOf(tree.remote)).toEqual({ z: expect.stringMatching(/^put body/) });
});

test('PUT writes no second file beside one of the same name that came in another case', async () => {
  const { tree, dav } = davWorld(await remoteWith({}), { ignoresCase: true });
  const other = () => dav('PUT', 'Z', { body: 'other' });
  expect(await dav('PUT', 'z', { body: slowBody(other) })).toBe(409);
  expect(Object.keys(await contentsOf(tree.remote))).toEqual(['Z']);
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
  const slow = layered(remote, {
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

/** Of `new`. */
const MD5 = '22af645d1859cb5ca6da0c484f1f37ea';
const SHA1 = 'c2a6b03f190dfb2b4aa91f8af8d477a9bc3401dc';
const SHA256 = '11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437';
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const [BAD_MD5, BAD_SHA1] = ['0'.repeat(32), '0'.repeat(40)];

test.each([
  ['oc-checksum', `MD5:${MD5}`, 204],
  ['oc-checksum', `md5:${MD5.toUpperCase()} ADLER32:00000001 SHA1:${SHA1}`, 204],
  ['oc-checksum', `SHA-256:${SHA256}`, 204],
  ['oc-checksum', 'ADLER32:00000001', 204],
  ['oc-checksum', 'garbage', 400],
  ['oc-checksum', `MD5=${BAD_MD5}`, 400],
  ['oc-checksum', `MD5=${BAD_MD5}:`, 400],
  ['oc-checksum', `MD5;${BAD_MD5}`, 400],
  ['oc-checksum', `:${MD5}`, 400],
  ['oc-checksum', `ADLER32:1 MD5=${BAD_MD5}`, 400],
  ['oc-checksum', ' ,', 204],
  ['oc-checksum', '', 204],
  ['oc-checksum', `MD5:${BAD_MD5}`, 422],
  ['oc-checksum', `MD5:${BAD_MD5} ADLER32:00000001`, 422],
  ['oc-checksum', `ADLER32:00000001 MD5:${BAD_MD5}`, 422],
  ['oc-checksum', `SHA1:${BAD_SHA1} MD5:${MD5} ADLER32:1`, 422],
  ['oc-checksum', `MD5:${MD5} SHA1:${BAD_SHA1}`, 422],
  ['oc-checksum', `MD5:${MD5},SHA256:${'0'.repeat(64)}`, 422],
  ['oc-checksum', 'MD5:zz', 400],
  ['oc-checksum', 'MD5:', 400],
  ['oc-checksum', `MD5: ${MD5}`, 400],
  ['oc-checksum', `MD5:${MD5}0`, 400],
  ['oc-checksum', `ADLER32:1 SHA1:${MD5}`, 400],
  ['oc-checksum', `MD5:${MD5} MD5:${BAD_MD5}`, 400],
  ['content-md5', base64(MD5), 204],
  ['content-md5', base64(BAD_MD5), 422],
  ['content-md5', 'zz', 400],
  ['content-md5', `${base64(MD5)}!`, 400],
  ['digest', `SHA-256=${base64(SHA256)},MD5=${base64(MD5)}`, 204],
  ['digest', `UNIXsum=1, SHA=${base64(BAD_SHA1)}`, 422],
  ['digest', 'md5=zz', 400],
  ['digest', `MD5:${base64(BAD_MD5)}`, 400],
  ['digest', '', 204],
  ['content-digest', `sha-512=:AA==:, sha-256=:${base64(SHA256)}:`, 204],
  ['repr-digest', `sha-256=:${base64('0'.repeat(64))}:`, 422],
  ['repr-digest', 'sha-256=?1', 400],
  ['content-digest', `sha-256:${base64(SHA256)}`, 400],
  ['repr-digest', 'sha-512', 400],
])('PUT with %s: %s is answered %i', async (name, value, status) => {
  const { tree, dav } = davWorld(await remoteWith({ f: 'old' }));
  expect(await dav('PUT', 'f', { headers: { [name]: value }, body: 'new' })).toBe(status);
  const kept = status === 204 ? /^new@/ : /^old@/;
  expect(await contentsOf(tree.remote)).toEqual({ f: expect.stringMatching(kept) });
});

test.each(WORLDS)('PUT to %s checks each sum that it knows', async (_, world) => {
  const { dav } = await world();
  const put = (sum: string) => dav('PUT', 'f', { headers: { 'oc-checksum': sum }, body: 'new' });
  expect(await put(`MD5:${MD5} SHA1:${BAD_SHA1}`)).toBe(422);
  expect(await put(`MD5:${BAD_MD5} SHA1:${SHA1}`)).toBe(422);
  expect(await put(`MD5:${MD5} SHA1:${SHA1}`)).toBe(201);
});
