import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { startServe } from './start-serve.ts';

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld();
  await mkdir(join(world.dir, 'files/dir'), { recursive: true });
  await writeFile(join(world.dir, 'files/a.txt'), 'old');
});
afterEach(() => world.remove());

/** Starts the server; `dav` sends a request and returns its status, and `text` its body. */
async function serve(...args: readonly string[]) {
  const { running, endpoint } = await startServe(world, ['files', ...args], 'webdav');
  const send = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ) => fetch(`${endpoint}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const dav = async (...given: Parameters<typeof send>) => {
    const response = await send(...given);
    await response.arrayBuffer();
    return response.status;
  };
  const stop = async () => {
    running.kill('SIGTERM');
    expect((await running.ended).stderr).not.toMatch(/ERROR/);
  };
  return { endpoint, running, send, dav, stop };
}

const at = (...path: readonly string[]) => join(world.dir, 'files', ...path);
const content = (...path: readonly string[]) => readFile(at(...path), 'utf8');

test('files are written, with their time, and only if conditions and checksums hold', async () => {
  const { dav, send, stop } = await serve();
  const created = await send('PUT', '/b%20c.txt', { 'x-oc-mtime': '1600000000.5' }, 'new');
  expect([created.status, created.headers.get('x-oc-mtime')]).toEqual([201, 'accepted']);
  expect((await stat(at('b c.txt'))).mtimeMs).toBe(1_600_000_000_500);
  const read = await send('GET', '/b%20c.txt');
  expect([await read.text(), read.headers.get('etag')]).toEqual([
    'new',
    created.headers.get('etag'),
  ]);
  expect(await dav('PUT', '/a.txt', {}, 'newer')).toBe(204);
  expect(await dav('PUT', '/a.txt', { 'if-none-match': '*' }, 'x')).toBe(412);
  expect(await dav('PUT', '/a.txt', { 'if-match': '"x"' }, 'x')).toBe(412);
  expect(await dav('PUT', '/a.txt', { 'oc-checksum': `MD5:${'0'.repeat(32)}` }, 'x')).toBe(422);
  expect(await dav('PUT', '/a.txt', { 'content-range': 'bytes 0-0/5' }, 'x')).toBe(400);
  expect(await dav('PUT', '/missing/b', {}, 'x')).toBe(409);
  expect(await dav('PUT', '/dir', {}, 'x')).toBe(405);
  expect(await content('a.txt')).toBe('newer');
  expect((await readdir(at())).sort()).toEqual(['a.txt', 'b c.txt', 'dir']);
  await stop();
});

test('a request whose body cannot be read does nothing', async () => {
  const { endpoint, stop } = await serve();
  const { port } = new URL(endpoint);
  for (const line of ['DELETE /a.txt', 'MOVE /a.txt', 'COPY /dir', 'PUT /a.txt']) {
    const socket = connect(Number(port), '127.0.0.1');
    const lines = ['host: x', 'destination: /new', 'connection: close', 'transfer-encoding: gzip'];
    socket.write(`${[`${line} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 501 /);
  }
  expect((await readdir(at())).sort()).toEqual(['a.txt', 'dir']);
  expect(await content('a.txt')).toBe('old');
  await stop();
});

test('an upload that breaks off leaves the old file', async () => {
  const { endpoint, dav, stop } = await serve();
  for (const headers of [{ 'content-length': 5_000_000 }, { 'transfer-encoding': 'chunked' }]) {
    const upload = request(`${endpoint}/a.txt`, { method: 'PUT', headers });
    upload.on('error', () => {});
    upload.write('x'.repeat(2_000_000));
    await new Promise((resolve) => setTimeout(resolve, 100));
    upload.destroy();
    await new Promise((resolve) => upload.once('close', resolve));
    expect(await dav('PROPFIND', '/', { depth: '1' })).toBe(207);
    await expect.poll(() => readdir(at())).toEqual(['a.txt', 'dir']);
    expect(await content('a.txt')).toBe('old');
  }
  await stop();
});

test('directories are created, copied, moved and deleted', async () => {
  const { endpoint, dav, stop } = await serve();
  const to = (path: string, more: Record<string, string> = {}) => {
    return { destination: `${endpoint}${path}`, ...more };
  };
  expect(await dav('MKCOL', '/new')).toBe(201);
  expect(await dav('MKCOL', '/new')).toBe(405);
  expect(await dav('MKCOL', '/no/new')).toBe(409);
  expect(await dav('MKCOL', '/body', {}, 'x')).toBe(415);
  expect(await dav('COPY', '/a.txt', to('/new/b'))).toBe(201);
  expect(await dav('COPY', '/new', to('/copy'))).toBe(201);
  expect(await dav('COPY', '/new', to('/empty', { depth: '0' }))).toBe(201);
  expect(await dav('MOVE', '/new', to('/copy', { overwrite: 'F' }))).toBe(412);
  await writeFile(at('copy/extra'), 'x');
  expect(await dav('MOVE', '/new', to('/copy'))).toBe(204);
  expect([await readdir(at()), await readdir(at('copy'))]).toEqual([
    ['a.txt', 'copy', 'dir', 'empty'],
    ['b'],
  ]);
  // A file in the place of a directory, and the reverse.
  expect(await dav('COPY', '/a.txt', to('/empty'))).toBe(204);
  expect(await dav('MOVE', '/copy', to('/empty'))).toBe(204);
  expect([await readdir(at()), await content('empty/b')]).toEqual([
    ['a.txt', 'dir', 'empty'],
    'old',
  ]);
  expect(await dav('MOVE', '/empty', to('/empty/inside'))).toBe(403);
  expect(await dav('MOVE', '/a.txt', to('/a.txt'))).toBe(403);
  expect(await dav('MOVE', '/a.txt', { destination: 'http://elsewhere/a' })).toBe(502);
  expect(await dav('MOVE', '/a.txt', to('/../a'))).toBe(400);
  expect(await dav('DELETE', '/empty')).toBe(204);
  expect(await dav('DELETE', '/empty')).toBe(404);
  expect(await dav('DELETE', '/')).toBe(403);
  expect(await readdir(at())).toEqual(['a.txt', 'dir']);
  await stop();
});

test('properties and locks', async () => {
  const { dav, send, stop } = await serve();
  const found = await (await send('PROPFIND', '/', { depth: '1' })).text();
  expect([...found.matchAll(/<D:href>([^<]*)/g)].map(([, href]) => href)).toEqual([
    '/',
    '/a.txt',
    '/dir/',
  ]);
  const time = '<D:lastmodified>1600000000</D:lastmodified>';
  const patch = (prop: string) =>
    `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop>${prop}</D:prop></D:set></D:propertyupdate>`;
  expect(await (await send('PROPPATCH', '/a.txt', {}, patch(time))).text()).toContain('200 OK');
  expect((await stat(at('a.txt'))).mtimeMs).toBe(1_600_000_000_000);
  const mixed = patch('<D:getetag>x</D:getetag><x xmlns="urn:x">1</x>');
  expect(await (await send('PROPPATCH', '/a.txt', {}, mixed)).text()).toMatch(/403 .*424 /);
  const bomb = '<!DOCTYPE a [<!ENTITY b "bb">]><a>&b;</a>';
  expect(await dav('PROPFIND', '/', { depth: '0' }, bomb)).toBe(400);
  const info =
    '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';
  const locked = await send('LOCK', '/a.txt', { timeout: 'Second-100' }, info);
  const token = locked.headers.get('lock-token') ?? '';
  expect(await locked.text()).toContain('<D:timeout>Second-100</D:timeout>');
  for (const method of ['PUT', 'DELETE', 'LOCK', 'PROPPATCH']) {
    const body = { PUT: 'x', LOCK: info, PROPPATCH: patch(time) }[method];
    expect([method, await dav(method, '/a.txt', {}, body)]).toEqual([method, 423]);
  }
  expect(await dav('PUT', '/a.txt', { if: '(<urn:wrong>)' }, 'x')).toBe(412);
  expect(await dav('PUT', '/a.txt', { if: `(${token})` }, 'by the owner')).toBe(204);
  expect(await dav('UNLOCK', '/a.txt', { 'lock-token': '<urn:wrong>' })).toBe(409);
  expect(await dav('UNLOCK', '/a.txt', { 'lock-token': token })).toBe(204);
  expect(await dav('DELETE', '/a.txt')).toBe(204);
  expect(await dav('LOCK', '/new', {}, info)).toBe(201);
  expect(await content('new')).toBe('');
  await stop();
});

test('read-only, filters and links let nothing through', async () => {
  await mkdir(join(world.dir, 'outside'));
  await writeFile(at('x.tmp'), 'hidden');
  await symlink('../outside', at('link'));
  const open = await serve('--exclude', '*.tmp');
  expect(await open.dav('PUT', '/link/x', {}, 'x')).toBe(409);
  expect(await open.dav('PUT', '/link', {}, 'x')).toBe(409);
  expect(await open.dav('MKCOL', '/link/x')).toBe(409);
  expect(await open.dav('PUT', '/x.tmp', {}, 'x')).toBe(403);
  expect(await open.dav('DELETE', '/x.tmp')).toBe(404);
  await open.stop();
  const closed = await serve('--read-only');
  for (const method of ['PUT', 'DELETE', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'PROPPATCH']) {
    expect([method, await closed.dav(method, '/a.txt')]).toEqual([method, 403]);
  }
  expect(await closed.dav('PROPFIND', '/')).toBe(207);
  await closed.stop();
  expect([await readdir(join(world.dir, 'outside')), await content('x.tmp')]).toEqual([
    [],
    'hidden',
  ]);
});

test('a remote in memory, which has no empty directories', async () => {
  const { running, endpoint } = await startServe(world, [':memory:bucket'], 'webdav');
  const dav = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
  ) => {
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(`${endpoint}${path}`, init);
    return [response.status, await response.text()] as const;
  };
  expect((await dav('MKCOL', '/d'))[0]).toBe(201);
  expect((await dav('PROPFIND', '/d', { depth: '0' }))[0]).toBe(207);
  expect((await dav('PUT', '/d/f', {}, 'x'))[0]).toBe(201);
  expect((await dav('MOVE', '/d', { destination: '/e' }))[0]).toBe(201);
  expect(await dav('GET', '/e/f')).toEqual([200, 'x']);
  expect((await dav('DELETE', '/e/f'))[0]).toBe(204);
  expect((await dav('PROPFIND', '/e', { depth: '1' }))[1].match(/<D:response>/g)).toHaveLength(1);
  expect((await dav('DELETE', '/e'))[0]).toBe(204);
  expect((await dav('PROPFIND', '/', { depth: '1' }))[1].match(/<D:response>/g)).toHaveLength(1);
  running.kill('SIGTERM');
  expect((await running.ended).stderr).not.toMatch(/ERROR/);
});

test('files that show metadata are copied, and neither changed nor listed', async () => {
  const { dav, send, endpoint, stop } = await serve(
    ...['--vfs-metadata-extension', '.meta', '--etag-hash', 'md5'],
  );
  const shown = await (await send('GET', '/a.txt.meta')).text();
  expect(JSON.parse(shown)).toHaveProperty('mtime');
  const to = (name: string) => ({ destination: `${endpoint}/${name}` });
  expect(await dav('COPY', '/a.txt.meta', to('copy'))).toBe(201);
  expect(await content('copy')).toBe(shown);
  expect(await dav('PUT', '/a.txt.meta', {}, 'x')).toBe(403);
  expect(await dav('MOVE', '/a.txt.meta', to('moved'))).toBe(403);
  expect(await dav('DELETE', '/a.txt.meta')).toBe(403);
  expect(await dav('MKCOL', '/a.txt.meta')).toBe(405);
  expect(await dav('PUT', '/new.meta', {}, 'own')).toBe(201);
  expect(await dav('PUT', '/new', {}, 'x')).toBe(201);
  expect(await (await send('GET', '/new.meta')).text()).toBe('own');
  expect(await dav('DELETE', '/new.meta')).toBe(204);
  expect(JSON.parse(await (await send('GET', '/new.meta')).text())).toHaveProperty('mode');
  const listing = await (await send('PROPFIND', '/', { depth: '1' })).text();
  expect(listing).not.toContain('.meta');
  expect(await (await send('PROPFIND', '/a.txt.meta', { depth: '0' })).text()).toMatch(
    /<D:getcontentlength>1\d\d</,
  );
  expect((await readdir(at())).sort()).toEqual(['a.txt', 'copy', 'dir', 'new']);
  await stop();
});

describe('symbolic links', () => {
  const LINKS: Record<string, string> = {
    'link.rclonelink': 'a.txt',
    'chain.rclonelink': './link',
    'dir/up.rclonelink': '../a.txt',
    'both.rclonelink': 'a.txt',
    'dang.rclonelink': 'none',
    'loop.rclonelink': 'loop',
    'dir-link.rclonelink': 'dir',
    'out.rclonelink': '../outside',
    'abs.rclonelink': '/etc/passwd',
  };
  const text = async (send: Awaited<ReturnType<typeof serve>>['send'], path: string) => {
    const response = await send('GET', path);
    return response.status === 200 ? response.text() : response.status;
  };

  test('links to files are those files; others stay files with their targets', async () => {
    await writeFile(join(world.dir, 'outside'), 'secret');
    await writeFile(at('both'), 'own');
    for (const [name, target] of Object.entries(LINKS)) await writeFile(at(name), target);
    const { send, stop } = await serve('--vfs-links');
    for (const path of ['/link', '/chain', '/dir/up']) expect(await text(send, path)).toBe('old');
    expect(await text(send, '/link.rclonelink')).toBe(404);
    expect(await text(send, '/both')).toBe('own');
    for (const name of ['dang', 'loop', 'dir-link', 'out', 'abs']) {
      expect(await text(send, `/${name}`), name).toBe(404);
      expect(await text(send, `/${name}.rclonelink`)).toBe(LINKS[`${name}.rclonelink`]);
    }
    const listing = await (await send('PROPFIND', '/', { depth: '1' })).text();
    expect([...listing.matchAll(/<D:href>\/([^<]*)/g)].map(([, name]) => name)).toEqual([
      ...['', 'a.txt', 'abs.rclonelink', 'both', 'both.rclonelink', 'chain', 'dang.rclonelink'],
      ...['dir-link.rclonelink', 'dir/', 'link', 'loop.rclonelink', 'out.rclonelink'],
    ]);
    await stop();
  });

  test('a file of such a name on a disk hides nothing else of its directory', async () => {
    await Promise.all([writeFile(at('no.rclonelink'), '1'), symlink('a.txt', at('link'))]);
    const { send, stop } = await serve('--links');
    expect(await text(send, '/link')).toBe('old');
    expect(await text(send, '/no.rclonelink')).toBe(404);
    await stop();
  });

  test.each(['--vfs-links', '--links'])(
    '%s: they are written through, and renamed and deleted themselves',
    async (flag) => {
      const isOnDisk = flag === '--links';
      const make = (target: string, name: string) =>
        isOnDisk ? symlink(target, at(name)) : writeFile(at(`${name}.rclonelink`), target);
      for (const name of ['through', 'moved', 'deleted', 'over', 'replaced']) {
        await make('a.txt', name);
      }
      await make('../a.txt', 'dir/in');
      for (const name of ['plain', 'other']) await writeFile(at(name), name);
      const { dav, send, endpoint, stop } = await serve(flag);
      const to = (name: string) => ({ destination: `${endpoint}/${name}` });
      expect(await dav('PUT', '/through', {}, 'written')).toBe(204);
      expect(await content('a.txt')).toBe('written');
      expect(await dav('DELETE', '/deleted')).toBe(204);
      expect(await dav('MOVE', '/moved', to('dir/new'))).toBe(201);
      expect(await text(send, '/dir/new')).toBe(404);
      expect(await dav('MOVE', '/over', to('plain'))).toBe(204);
      expect(await text(send, '/plain')).toBe('written');
      expect(await dav('MOVE', '/other', to('replaced'))).toBe(204);
      expect(await text(send, '/replaced')).toBe('other');
      expect(await dav('COPY', '/through', to('copy'))).toBe(201);
      expect(await dav('MOVE', '/dir', to('dir2'))).toBe(201);
      expect(await text(send, '/dir2/in')).toBe('written');
      const suffix = isOnDisk ? '' : '.rclonelink';
      expect((await readdir(at())).sort()).toEqual(
        ['a.txt', 'copy', 'dir2', `plain${suffix}`, 'replaced', `through${suffix}`].sort(),
      );
      expect((await readdir(at('dir2'))).sort()).toEqual([`in${suffix}`, `new${suffix}`]);
      expect(await content('copy')).toBe('written');
      expect(await dav('DELETE', '/dir2')).toBe(204);
      expect(await content('a.txt')).toBe('written');
      await stop();
    },
  );

  test('a link shows no file that a filter hides', async () => {
    await writeFile(at('b.txt'), 'shown');
    await writeFile(at('l.rclonelink'), 'a.txt');
    await writeFile(at('m.rclonelink'), 'b.txt');
    const { send, stop } = await serve('--vfs-links', '--exclude', 'a.txt');
    expect(await text(send, '/l')).toBe(404);
    expect(await text(send, '/m')).toBe('shown');
    await stop();
  });
});
