import { mkdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../support/self-signed.ts';
import { startServe } from './start-serve.ts';

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld();
  await mkdir(join(world.dir, 'files/sub dir'), { recursive: true });
  await writeFile(join(world.dir, 'files/a.txt'), 'hello');
  await writeFile(join(world.dir, 'files/sub dir/<b>.html'), 'x');
  await utimes(join(world.dir, 'files/a.txt'), 1_700_000_000, 1_700_000_000);
});
afterEach(() => world.remove());

const serve = (...args: readonly string[]) => startServe(world, ['files', ...args], 'http');

test('files and directories are read', async () => {
  const { running, endpoint } = await serve('-v');
  const file = await fetch(`${endpoint}/a.txt`);
  expect(await file.text()).toBe('hello');
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '5',
    'last-modified': 'Tue, 14 Nov 2023 22:13:20 GMT',
    etag: expect.stringMatching(/^"[0-9a-f]+"$/),
  });
  const etag = file.headers.get('etag') ?? '';
  const get = (headers: Record<string, string>) => fetch(`${endpoint}/a.txt`, { headers });
  expect((await get({ 'if-none-match': etag })).status).toBe(304);
  expect((await get({ 'if-match': '"other"' })).status).toBe(412);
  const range = await get({ range: 'bytes=1-2', 'if-range': etag });
  expect([range.status, await range.text(), range.headers.get('content-range')]).toEqual([
    206,
    'el',
    'bytes 1-2/5',
  ]);
  expect((await get({ range: 'bytes=9-' })).headers.get('content-range')).toBe('bytes */5');
  await writeFile(join(world.dir, 'files/empty'), '');
  const empty = await fetch(`${endpoint}/empty`, { headers: { range: 'bytes=-2' } });
  expect([empty.status, await empty.text()]).toEqual([200, '']);
  const page = await (await fetch(`${endpoint}/sub%20dir`)).text();
  expect(page).toContain('<a href="./%3Cb%3E.html">&lt;b&gt;.html</a>');
  const zip = await fetch(`${endpoint}/?download=zip`);
  expect(
    Buffer.from(await zip.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK');
  expect((await fetch(`${endpoint}/missing`)).status).toBe(404);
  expect((await fetch(`${endpoint}/a.txt`, { method: 'PUT', body: 'x' })).status).toBe(405);
  expect(await (await get({})).text()).toBe('hello');
  running.kill('SIGTERM');
  const { code, stderr } = await running.ended;
  expect(code).toBe(143);
  expect(stderr).toMatch(/INFO {2}: GET \/a.txt 200 in [\d.]+ ms/);
  expect(stderr).toContain('anyone who can reach this server can read everything');
  expect(stderr).not.toMatch(/ERROR/);
});

test('nothing outside is read, not even through links', async () => {
  await mkdir(join(world.dir, 'outside'));
  await writeFile(join(world.dir, 'outside/secret'), 'secret');
  await symlink('../outside', join(world.dir, 'files/link'));
  await symlink('../outside/secret', join(world.dir, 'files/to-file'));
  const { running, endpoint } = await serve();
  const paths = [
    '/link/secret',
    '/link/',
    '/to-file',
    '/../outside/secret',
    '/%2e%2e/outside/secret',
  ];
  for (const path of [...paths, '/..%2foutside%2fsecret', '/sub%20dir/../../outside/secret']) {
    const { status, body } = await ask(`${endpoint}`, path);
    expect([path, status >= 400, body.includes('secret')]).toEqual([path, true, false]);
  }
  expect((await ask(endpoint, '/')).body).not.toMatch(/>link|to-file/);
  // By a name that leads here: a page of another site.
  const foreign = await ask(endpoint, '/a.txt', { host: 'evil.example' });
  expect([foreign.status, foreign.body]).toEqual([403, expect.stringContaining('without a login')]);
  running.kill('SIGTERM');
  await running.ended;
});

test('logins, TLS, sockets, a base, filters, and headers of all responses', async () => {
  const at = (name: string) => join(world.dir, name);
  await writeFile(at('cert'), SELF_SIGNED_CERTIFICATE);
  await writeFile(at('key'), SELF_SIGNED_KEY);
  const socket = at('s');
  const login = ['--user', 'me', '--pass', 'se:cret'];
  const flags = ['--cert', 'cert', '--key', 'key', '--baseurl', 'pre', '--disable-zip'];
  const more = [
    '--exclude',
    '/sub dir/**',
    '--response-header',
    'Server: none',
    '--realm',
    'my "files"',
  ];
  const { running, endpoint } = await serve(
    ...login,
    ...flags,
    ...more,
    '--addr',
    `http://unix://${socket}`,
  );
  const auth = `Basic ${Buffer.from('me:se:cret').toString('base64')}`;
  const get = (path: string, authorization?: string) =>
    ask(endpoint, path, authorization === undefined ? {} : { authorization });
  expect(await get('/pre/a.txt', auth)).toMatchObject({ status: 200, body: 'hello' });
  const refused = await get('/pre/a.txt');
  expect([refused.status, refused.headers['www-authenticate'], refused.headers['server']]).toEqual([
    401,
    'Basic realm="my \\"files\\"", charset="UTF-8"',
    'none',
  ]);
  const wrong = `Basic ${Buffer.from('me:se').toString('base64')}`;
  expect((await get('/pre/a.txt', wrong)).status).toBe(401);
  expect((await get('/a.txt', auth)).status).toBe(404);
  expect((await get('/pre/sub%20dir/%3Cb%3E.html', auth)).status).toBe(404);
  expect((await get('/pre/', auth)).body).not.toMatch(/zip|sub dir/);
  const bySocket = await ask('http://localhost', '/pre/a.txt', { authorization: auth }, socket);
  expect(bySocket.body).toBe('hello');
  running.kill('SIGTERM');
  const { stderr } = await running.ended;
  expect(stderr).not.toContain('se:cret');
});

test('a stop waits for running downloads', async () => {
  await writeFile(join(world.dir, 'files/large'), '');
  await truncate(join(world.dir, 'files/large'), 64 * 1024 * 1024);
  const { running, endpoint } = await serve();
  const response = await fetch(`${endpoint}/large`);
  running.kill('SIGTERM');
  while (
    await fetch(endpoint).then(
      () => true,
      () => false,
    )
  )
    await sleep(10);
  let size = 0;
  for await (const chunk of response.body ?? []) size += chunk.length;
  expect(size).toBe(64 * 1024 * 1024);
  expect((await running.ended).code).toBe(143);
});

test.each([
  [['files', '--user', 'me'], '--user and --pass need each other'],
  [['files', '--htpasswd', 'missing'], '--htpasswd: stat missing: no such file'],
  [['files', '--cert', 'x'], 'TLS needs both --cert and --key'],
  [['files', '--client-ca', 'x'], '--client-ca needs --cert and --key'],
  [['files', '--cert', 'files/a.txt', '--key', 'files/a.txt'], 'cannot use --cert files/a.txt'],
  [['files', '--addr', 'tls://localhost:0'], 'needs --cert and --key'],
  [['files', '--response-header', 'x'], '--response-header x: a header is Name: value'],
  [['files', '--etag-hash', 'nonsense'], 'unknown hash type "nonsense"'],
  [['missing'], 'cannot serve missing'],
  [[], 'serve http takes 1 argument'],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await world.run(['serve', 'http', '--addr', 'localhost:0', ...args]);
  expect(stderr).toContain(message);
  expect(code).toBeGreaterThan(0);
});

/** A request for a path as it is, which `fetch` would change. */
function ask(
  origin: string,
  path: string,
  headers: Record<string, string> = {},
  socketPath?: string,
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  const { hostname, port, protocol } = new URL(origin);
  const send = protocol === 'https:' ? secureRequest : request;
  const via = socketPath === undefined ? { host: hostname, port } : { socketPath };
  return new Promise((resolve, reject) => {
    send({ ...via, path, headers, ca: SELF_SIGNED_CERTIFICATE }, (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then((body) => resolve({ status, body, headers: response.headers }), reject);
    })
      .on('error', reject)
      .end();
  });
}

test('a program chooses the remote of each user', async () => {
  await mkdir(join(world.dir, 'homes/ann'), { recursive: true });
  await writeFile(join(world.dir, 'homes/ann/mine.txt'), 'of ann');
  const program = join(world.dir, 'proxy.cjs');
  await writeFile(
    program,
    `const { user, pass } = JSON.parse(require('fs').readFileSync(0));
     if (pass !== 'right') process.exit(1);
     console.log(JSON.stringify({ type: 'local', _root: __dirname + '/homes/' + user }));`,
  );
  const proxy = ['--auth-proxy', `"${process.execPath}" "${program}"`];
  const { running, endpoint } = await startServe(world, proxy, 'http');
  const get = (user: string, password: string) => {
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    return fetch(`${endpoint}/mine.txt`, { headers: { authorization } });
  };
  expect(await (await get('ann', 'right')).text()).toBe('of ann');
  const refused = await get('ann', 'wrong');
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    'Basic realm="", charset="UTF-8"',
  ]);
  // The remote of the answer does not exist.
  expect((await get('bob', 'right')).status).toBe(404);
  running.kill('SIGTERM');
  const { stderr } = await running.ended;
  expect(stderr).toContain('Login of ann refused: auth proxy');
  expect(stderr).not.toContain('wrong');
  const both = await world.run(['serve', 'http', 'files', ...proxy]);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('give no remote:path')]);
  expect((await world.run(['serve', 'http'])).code).toBe(2);
});

test('metadata as files beside their entries, also where a filter hides their own names', async () => {
  const flags = ['--vfs-metadata-extension', '.metadata', '--include', '*.txt'];
  const { running, endpoint } = await serve(...flags);
  const get = (path: string, headers = {}) => fetch(`${endpoint}/${path}`, { headers });
  const whole = await get('a.txt.metadata');
  const content = await whole.text();
  expect(JSON.parse(content)).toMatchObject({ mode: '100644', mtime: '2023-11-14T22:13:20Z' });
  expect(content).toMatch(/^\{\n\t"atime": ".*\n\}$/s);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(content.length),
    'last-modified': 'Tue, 14 Nov 2023 22:13:20 GMT',
  });
  expect(await (await get('a.txt.metadata', { range: 'bytes=3-7' })).text()).toBe('"atim');
  expect(JSON.parse(await (await get('sub dir.metadata')).text())).toMatchObject({
    mode: expect.stringMatching(/^40/),
  });
  expect(await (await get('')).text()).not.toContain('metadata"');
  for (const path of ['.metadata', 'none.metadata', 'sub dir/<b>.html.metadata']) {
    expect((await get(path)).status, path).toBe(404);
  }
  running.kill('SIGTERM');
  expect((await running.ended).stderr).not.toMatch(/ERROR/);
});
