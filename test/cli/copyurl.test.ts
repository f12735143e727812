import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { hasRclone, runRclone } from '../support/rclone.ts';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

const LATER = 'Wed, 01 Jan 2020 00:00:00 GMT';

let world: SyncerWorld;
let server: Server;
let url: string;
/** Requests for each path. */
const asked = new Map<string, number>();

beforeAll(async () => {
  world = await makeSyncerWorld();
  server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await world.remove();
});

type Reply = (to: ServerResponse, request: IncomingMessage, times: number) => void;

const send =
  (headers: Record<string, string>, body: string | Buffer): Reply =>
  (to) => {
    to.writeHead(200, { 'content-length': Buffer.byteLength(body), ...headers });
    to.end(body);
  };

const cut =
  (headers: Record<string, number>): Reply =>
  (to) => {
    to.writeHead(200, headers);
    to.write('only this', () => to.destroy());
  };

const redirect =
  (location: string): Reply =>
  (to) => {
    to.writeHead(302, { location });
    to.end();
  };

const REPLIES: Readonly<Record<string, Reply>> = {
  '/file.txt': send({ 'last-modified': LATER }, 'hello'),
  '/d%20x/n%C3%A4me%20b': send({ 'last-modified': LATER }, 'hello'),
  '/moved': redirect('/file.txt'),
  '/loop': redirect('/loop'),
  '/ftp': redirect('ftp://host/file'),
  '/packed': send({ 'content-encoding': 'gzip', 'last-modified': LATER }, gzipSync('plain')),
  '/cut': cut({ 'content-length': 100 }),
  '/cut-chunks': cut({}),
  '/windows': send({ 'content-disposition': 'attachment; filename="C:\\dir\\na me.txt"' }, 'named'),
  '/extended': send(
    { 'content-disposition': `attachment; filename=old; filename*=UTF-8''na%C3%AFve` },
    'named',
  ),
  '/part': (to) => {
    to.writeHead(206, { 'content-range': 'bytes 0-2/10', 'content-length': 3 });
    to.end('abc');
  },
  '/none': (to) => {
    to.writeHead(204).end();
  },
  '/accepted': (to) => {
    to.writeHead(202).end('come again');
  },
  '/empty': send({ 'last-modified': LATER }, ''),
  '/who': (to, { headers }) => {
    to.end(headers.authorization ?? 'nobody');
  },
  '/chunked': (to) => {
    to.writeHead(200, { 'last-modified': LATER });
    to.write('a'.repeat(150_000));
    setImmediate(() => to.end('b'.repeat(150_000)));
  },
  '/third-time': (to, _, times) => {
    if (times < 3) to.writeHead(503);
    to.end(times < 3 ? 'not yet' : 'now');
  },
};

function answer(request: IncomingMessage, to: ServerResponse): void {
  const { url: target = '' } = request;
  const times = (asked.get(target) ?? 0) + 1;
  asked.set(target, times);
  const reply = REPLIES[target.replace(/^\/(ours|theirs)\//, '/')];
  if (reply === undefined) to.writeHead(404).end('there is nothing');
  else reply(to, request, times);
}

/** `URL` is the server; each program asks below a path of its own. */
const LINES = [
  'copyurl URL/file.txt out',
  'copyurl URL/file.txt sub/out',
  'copyurl -p URL/file.txt out',
  'copyurl -a -p URL/file.txt sub',
  'copyurl -a -p URL/d%20x/n%C3%A4me%20b .',
  'copyurl --auto-filename --print-filename URL/moved .',
  'copyurl -a --header-filename -p URL/windows .',
  'copyurl -a --header-filename -p URL/extended .',
  'copyurl URL/chunked out',
  'copyurl URL/empty out',
  'copyurl URL/packed out',
  'copyurl URL/third-time out',
  'copyurl --retries 2 URL/third-time out',
  'copyurl URL/missing out',
  'copyurl --retries 1 URL/loop out',
  'copyurl URL/ftp out',
  'copyurl --retries 1 URL/cut out',
  'copyurl -n -p URL/file.txt out',
  'copyurl URL/file.txt -',
  'copyurl --stdout URL/chunked',
  'copyurl URL/file.txt there',
  'copyurl --no-clobber URL/file.txt there',
  'copyurl --no-clobber URL/file.txt out',
  'copyurl URL/file.txt sub/',
  'copyurl -a URL/file.txt there',
  'copyurl URL/file.txt',
  'copyurl nothing out',
  'copyurl --retries 1 http://127.0.0.1:1/file out',
];

describe.skipIf(!hasRclone)('beside rclone', () => {
  test.each(LINES)('%s', async (line) => {
    asked.clear();
    const run = async (who: 'ours' | 'theirs') => {
      const dir = join(world.dir, `${LINES.indexOf(line)}-${who}`);
      await writeTree(dir, { there: 'before' });
      const args = line.replace('URL', `${url}/${who}`).split(' ');
      const { code, stdout } =
        who === 'ours' ? await world.run(args, { cwd: dir }) : await runRclone(args, { cwd: dir });
      const tree = (await readTree(dir)) ?? {};
      // A time of the moment is not that of the other.
      const files = Object.entries(tree).map(([path, text]) => [
        path,
        text.replace(/@[12][67].*/, ''),
      ]);
      return { code, stdout: stdout.toString(), files: Object.fromEntries(files) };
    };
    expect(await run('ours')).toEqual(await run('theirs'));
  });
});

async function run(...args: string[]) {
  const { code, stdout, stderr } = await world.run(args);
  return { code, stdout: stdout.toString(), stderr };
}

test('what breaks off leaves nothing, and the old file', async () => {
  await writeTree(join(world.dir, 'kept'), { file: 'old' });
  const { code, stderr } = await run('copyurl', `${url}/cut`, 'kept/file');
  expect([code, asked.get('/cut')]).toEqual([5, 3]);
  expect(stderr).toContain('9 of 100 bytes');
  expect(await readTree(join(world.dir, 'kept'))).toEqual({ file: 'old@1000000000' });
});

test.each(['206', '204', '202'])(
  'an answer that is not the whole file is refused: %s',
  async (status) => {
    const path = { '206': 'part', '204': 'none', '202': 'accepted' }[status];
    await writeTree(join(world.dir, 'whole'), { file: 'old' });
    const { code, stderr } = await run('copyurl', '--retries', '1', `${url}/${path}`, 'whole/file');
    expect(code).toBe(1);
    expect(stderr).toContain(`CopyURL failed: ${status} `);
    expect(stderr).toContain('not the whole file');
    expect(await readTree(join(world.dir, 'whole'))).toEqual({ file: 'old@1000000000' });
  },
);

test('chunks without an end are no success, as they are for rclone', async () => {
  expect((await run('copyurl', '--retries', '1', `${url}/cut-chunks`, 'cut/file')).code).toBe(5);
  expect(await readTree(join(world.dir, 'cut'))).toBeUndefined();
});

test('what has begun to go to standard output is not sent again', async () => {
  asked.clear();
  const { code, stdout } = await run('copyurl', '--stdout', `${url}/cut`);
  expect([code, stdout, asked.get('/cut')]).toEqual([1, 'only this', 1]);
});

test('the login of a URL is sent and not told', async () => {
  const withLogin = url.replace('//', '//user:secret@');
  const seen = await run('copyurl', '-vv', `${withLogin}/who`, '-');
  expect(seen.stderr).not.toContain('secret');
  expect(seen.stdout).toBe(`Basic ${Buffer.from('user:secret').toString('base64')}`);
  expect((await run('copyurl', withLogin.replace('http:', 'gopher:'), '-')).stderr).not.toContain(
    'secret',
  );
});

test.each(['..', '.', '/'])('a name like %s is refused', async (name) => {
  const { code } = await run('copyurl', '-a', `${url}/${encodeURIComponent(name)}`, 'odd');
  expect(code).toBe(1);
  expect(await readTree(join(world.dir, 'odd'))).toBeUndefined();
});

test('--urls copies each URL of a list, also if another one fails', async () => {
  const list = `${url}/file.txt\n${url}/missing\n${url}/windows,"sub/odd, name"\n`;
  await writeTree(world.dir, { list });
  const { code, stderr } = await run('copyurl', '--urls', '--retries', '1', 'list', 'listed');
  expect([code, stderr]).toEqual([1, expect.stringContaining('404')]);
  const files = (await readTree(join(world.dir, 'listed'))) ?? {};
  expect(Object.keys(files).sort()).toEqual(['file.txt', 'sub/', 'sub/odd, name']);
});
