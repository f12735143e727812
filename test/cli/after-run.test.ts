import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReportRecord } from '../../src/run/reports/report-record.ts';
import { writeTree } from '../support/file-tree.ts';
import { someOf, testOfAll } from '../support/in-part.ts';
import { type Ended, makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';

async function makeSides(): Promise<SyncerWorld> {
  const made = await makeSyncerWorld();
  await writeTree(join(made.dir, 'a'), { f: 'one', 'd/g': 'two' });
  await writeTree(join(made.dir, 'b'), { f: 'older', gone: 'x' });
  return made;
}

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSides();
});
afterEach(() => world.remove());

const readJson = async (path: string) =>
  JSON.parse(await readFile(join(world.dir, path), 'utf8')) as ReportRecord;

/** The run succeeded, and its log names the failed ping once, without the path of its URL. */
function expectNamedOnce({ code, stderr }: Ended): void {
  expect(code).toBe(0);
  expect(stderr.match(/The ping to 127\.0\.0\.1:\d+ failed: /g)).toHaveLength(1);
  expect(stderr).not.toContain('uuid');
}

// A run waits ten seconds for each response to its pings: it does that while the other tests run.
let silent: { readonly world: SyncerWorld; readonly server: Server; readonly run: Promise<Ended> };
let asked = 0;
beforeAll(async () => {
  const server = createServer(() => asked++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/uuid`;
  const made = await makeSides();
  silent = { world: made, server, run: made.start(['sync', 'a', 'b', '--ping-url', url]).ended };
});
afterAll(async () => {
  silent.server.closeAllConnections();
  silent.server.close();
  await silent.world.remove();
});

describe('pings', () => {
  let server: Server;
  let pings: { readonly path: string; readonly rid: string; readonly body: string }[];
  let login: string | undefined;
  let status: number;
  let url: string;
  beforeEach(async () => {
    [pings, status] = [[], 200];
    server = createServer(async (request, response) => {
      const body = await text(request);
      const asked = new URL(request.url ?? '', 'http://x');
      login = request.headers.authorization;
      pings.push({ path: asked.pathname, rid: asked.searchParams.get('rid') ?? '', body });
      if (status > 0) response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/uuid`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const paths = () => pings.map(({ path }) => path);

  test('start and success, with one id and a summary', async () => {
    expect((await world.run(['sync', 'a', 'b', '--ping-url', url])).code).toBe(0);
    expect(paths()).toEqual(['/uuid/start', '/uuid/0']);
    expect(pings[0]?.rid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(pings[1]?.rid).toBe(pings[0]?.rid);
    expect(pings[1]?.body).toMatch(
      /success, exit code 0[\s\S]*copied 1, replaced 1[\s\S]*deleted: gone\n/,
    );
  });

  test('the login of the URL is sent, and not shown', async () => {
    const withLogin = url.replace('://', '://me:word@');
    const run = await world.run(['sync', 'a', 'b', '--ping-url', withLogin, '-vv']);
    expect(run.code).toBe(0);
    expect(login).toBe(`Basic ${Buffer.from('me:word').toString('base64')}`);
    expect(run.stderr).not.toContain('word@');
  });

  test.each([
    ['an error', ['sync', 'none', 'b'], 3],
    ['a guard', ['sync', 'a', 'b', '--guard', 'count=0'], 21],
    ['differences', ['check', 'a', 'b'], 1],
  ])('%s is the last part of the URL', async (_, words, code) => {
    expect((await world.run([...words, '--ping-url', `${url}/?create=1`])).code).toBe(code);
    expect(paths()).toEqual(['/uuid/start', `/uuid/${code}`]);
    expect(pings[1]?.body).toContain(`exit code ${code}`);
  });

  test.each([200, 404])('the path of the URL is shown nowhere, answered %i', async (answer) => {
    status = answer;
    const secret = '6f1c2a3e-0000-4d5e-8f90-123456789abc';
    const hook = `cat > ${join(world.dir, 'read.json')}; : http://127.0.0.1/${secret}`;
    const flags = ['--on-success', hook, '--report', 'r.json', '--report', 'r.html', '-vv'];
    const run = await world.run([
      'sync',
      'a',
      'b',
      '--ping-url',
      `${new URL(url).origin}/${secret}`,
      ...flags,
    ]);
    expect(run.code, run.stderr).toBe(0);
    expect(paths()).toContain(`/${secret}/start`);
    expect(run.stderr).toContain(`"${new URL(url).origin}/REDACTED"`);
    const shown = await world.run(['history', '--json']);
    await writeTree(world.dir, {
      'conf/syncer.conf': '',
      'conf/defaults.conf': `[default]\nping-url = ftp://h/${secret}\n`,
    });
    const wrong = await world.run(['sync', 'a', 'b', '--config', 'conf/syncer.conf', '-vv']);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('unsupported protocol');
    const said = [run, shown, wrong].map(({ stdout, stderr }) => stdout + stderr);
    expect(said.join('')).not.toContain(secret);
    const found = execFileSync('grep', ['-rlF', secret, world.dir], { encoding: 'utf8' });
    expect(found.trim().split('\n')).toEqual([join(world.dir, 'conf/defaults.conf')]);
  });

  test('a job may hold the URL, and shows it nowhere', async () => {
    const [secret, env] = ['6f1c2a3e-0000-4d5e-8f90-123456789abc', { HOME: world.dir }];
    const words = ['copy', 'a', 'b', '--ping-url', `${new URL(url).origin}/${secret}`];
    const saved = await world.run(['job', 'j', '--', ...words], { env });
    expect(saved.code, saved.stderr).toBe(0);
    const run = await world.run(['run', 'j'], { env });
    expect(paths()).toEqual([`/${secret}/start`, `/${secret}/0`]);
    const listed = [await world.run(['job'], { env }), await world.run(['job', 'j'], { env })];
    expect(String(listed[0]?.stdout)).toMatch(/^j {2}done/);
    expect(String(listed[1]?.stdout)).toMatch(/ago: done, /);
    for (const { stdout, stderr } of [saved, run, ...listed])
      expect(stdout + stderr).not.toContain(secret);
  });

  test('a lock is reported, and pinged with 75', async () => {
    await writeTree(join(world.dir, 'large'), { f: 'x'.repeat(600_000) });
    const holder = world.start(['copy', 'large', 'b', '--bwlimit', '20k', '--lock']);
    await expect.poll(async () => (await world.run(['ps'])).stdout.toString()).toContain('copy');
    const words = ['sync', 'a', 'b', '--lock', '--report', 'r.json', '--ping-url', url];
    expect((await world.run(words)).code).toBe(75);
    expect(paths()).toEqual(['/uuid/start', '/uuid/75']);
    expect(await readJson('r.json')).toMatchObject({
      exit: 75,
      result: 'failure',
      lock: expect.stringContaining('which changes the same place: syncer copy large b'),
      counts: { copied: 0, deleted: 0 },
    });
    holder.kill('SIGINT');
    await holder.ended;
  });

  const ends = [
    ['SIGTERM', ['/uuid/start', '/uuid/143']],
    ['SIGINT', ['/uuid/start', '/uuid/130']],
    ['SIGKILL', ['/uuid/start']],
  ] as const;
  test.each(someOf(ends, 1))('%s', async (signal, expected) => {
    const run = world.start(['copy', 'a', 'b', '--watch', '--ping-url', url, '-v']);
    await expect.poll(() => run.seen.stderr).toContain('Watching');
    await expect.poll(paths).toEqual(['/uuid/start']);
    run.kill(signal);
    await run.ended;
    expect(paths()).toEqual(expected);
  });

  test.each([
    ['refuses', 404, 2],
    ['fails', 500, 6],
  ])('a receiver that %s changes no exit code, and is named once', async (_, answer, least) => {
    status = answer;
    expectNamedOnce(await world.run(['sync', 'a', 'b', '--ping-url', url]));
    expect(pings.length).toBeGreaterThanOrEqual(least);
  });

  test('a receiver that is down changes no exit code', async () => {
    server.close();
    const run = await world.run(['sync', 'none', 'b', '--ping-url', url]);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('The ping to');
  });

  test('a dry run is no run of the job; a wrong URL is a usage error', async () => {
    expect((await world.run(['sync', 'a', 'b', '-n', '--ping-url', url])).code).toBe(0);
    expect(pings).toEqual([]);
    expect((await world.run(['sync', 'a', 'b', '--ping-url', 'ftp://x'])).code).toBe(1);
    expect(await readdir(join(world.dir, 'b'))).toContain('gone');
  });
});

describe('reports', () => {
  test('as JSON and as a page, to files and remotes', async () => {
    const words = ['--report', 'r.json', '--report', 'r.html', '--report', ':local:remote.json'];
    expect((await world.run(['sync', 'a', 'b', ...words])).code).toBe(0);
    const record = await readJson('r.json');
    expect(record).toMatchObject({ report: 1, exit: 0, result: 'success', places: ['a', 'b'] });
    expect(record.counts).toMatchObject({ copied: 1, replaced: 1, deleted: 1, errors: 0 });
    expect(record.deletions).toEqual(['gone']);
    expect(await readJson('remote.json')).toEqual(record);
    expect(await readFile(join(world.dir, 'r.html'), 'utf8')).toMatch(
      /^<!doctype html>[\s\S]*gone/,
    );
    const history = await world.run((record.history ?? '').split(' ').slice(1));
    expect(history.stdout.toString()).toContain('gone');
  });

  test('of an earlier run is a page made of its journal', async () => {
    await world.run(['sync', 'a', 'b', '--report', 'r.json']);
    const { run } = await readJson('r.json');
    const page = (await world.run(['history', run, '--html'])).stdout.toString();
    expect(page).toMatch(/^<!doctype html>[\s\S]*Success[\s\S]*<\/html>\n$/);
    for (const path of ['gone', 'f', 'g']) expect(page).toContain(`<code>${path}</code>`);
    expect(page).toContain('<th>Deleted</th><td>1</td>');
    expect(page).toContain('<h1>sync a → b</h1>');
    expect((await world.run(['history', '--html'])).code).toBe(1);
  });

  test('of a failure has the error, of a guard its reason', async () => {
    await world.run(['sync', 'none', 'b', '--report', 'r.json']);
    expect(await readJson('r.json')).toMatchObject({ exit: 3, result: 'failure' });
    await world.run(['sync', 'a', 'b', '--guard', 'count=0', '--report', 'r.json']);
    const { exit, guard, deletions } = await readJson('r.json');
    expect([exit, deletions]).toEqual([21, []]);
    expect(guard).toContain('guard count: 1 file would be deleted');
  });

  test('is written when the run is stopped', async () => {
    const run = world.start(['copy', 'a', 'b', '--watch', '--report', 'r.json', '-v']);
    await expect.poll(() => run.seen.stderr).toContain('Watching');
    run.kill('SIGTERM');
    expect((await run.ended).code).toBe(143);
    expect(await readJson('r.json')).toMatchObject({ exit: 143, result: 'stopped' });
  });

  test('of a dry run says that nothing was changed', async () => {
    await world.run(['sync', 'a', 'b', '-n', '--report', 'r.json', '--on-success', 'touch ran']);
    expect(await readJson('r.json')).toMatchObject({ isTrial: true, counts: { deleted: 0 } });
    expect(await readdir(world.dir)).not.toContain('ran');
  });

  test('that cannot be written is an error; the run stays done', async () => {
    for (const target of ['no/such/r.json', 'a', '/dev/full']) {
      const run = await world.run(['sync', 'a', 'b', '--report', target]);
      expect(run.code).toBe(1);
      expect(run.stderr).toContain(`cannot write the report to ${target}: `);
    }
    expect((await readdir(join(world.dir, 'b'))).sort()).toEqual(['d', 'f']);
    expect((await world.run(['sync', 'none', 'b', '--report', '/dev/full'])).code).toBe(3);
  });

  test.skipIf(process.getuid?.() !== 0)('on a full disk leaves the report before it', async () => {
    const disk = join(world.dir, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'report-test', disk]);
    try {
      await writeFile(join(disk, 'r.json'), 'before');
      await writeFile(join(disk, 'full'), Buffer.alloc(4096));
      const run = await world.run(['sync', 'a', 'b', '--report', 'disk/r.json']);
      expect(run.code).toBe(1);
      expect(await readFile(join(disk, 'r.json'), 'utf8')).toBe('before');
      expect((await readdir(disk)).sort()).toEqual(['full', 'r.json']);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

describe('commands', () => {
  const say = (file: string) =>
    `cat > ${file}; echo "$SYNCER_RUN_RESULT $SYNCER_RUN_EXIT" >> ${file}`;
  const flags = [
    ...['--on-success', say('success'), '--on-failure', say('failure')],
    ...['--on-change', say('change')],
  ];
  const made = async () =>
    (await readdir(world.dir)).filter((name) => /^(success|failure|change)$/.test(name)).sort();

  test('run after what they name, with the report', async () => {
    await world.run(['sync', 'a', 'b', ...flags]);
    expect(await made()).toEqual(['change', 'success']);
    const [report = '', result] = (await readFile(join(world.dir, 'success'), 'utf8')).split('\n');
    expect(JSON.parse(report)).toMatchObject({ report: 1, counts: { deleted: 1 } });
    expect(result).toBe('success 0');
  });

  test('a run that changes nothing is no change; a failure is one', async () => {
    await world.run(['sync', 'a', 'b']);
    await world.run(['sync', 'a', 'b', ...flags]);
    expect(await made()).toEqual(['success']);
    await world.run(['sync', 'none', 'b', ...flags]);
    expect(await made()).toEqual(['failure', 'success']);
    expect(await readFile(join(world.dir, 'failure'), 'utf8')).toContain('failure 3\n');
  });

  test('a command that fails changes no exit code, and runs none again', async () => {
    const env = { SYNCER_ON_SUCCESS: 'env > seen; exit 3' };
    const run = await world.run(['sync', 'a', 'b'], { env });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('The command of --on-success failed: it ended with exit code 3');
    expect(await readFile(join(world.dir, 'seen'), 'utf8')).not.toContain('SYNCER_ON_SUCCESS');
  });
});

describe('--quiet-unless', () => {
  test('logs only what someone should see', async () => {
    const quiet = (source: string, unless: string) =>
      world.run(['sync', source, 'b', '-v', '--quiet-unless', unless]).then(({ stderr }) => stderr);
    expect(await quiet('a', 'change')).toContain('gone: Deleted');
    expect(await quiet('a', 'change')).toBe('');
    expect(await quiet('a', 'error')).toBe('');
    expect(await quiet('none', 'error')).toContain('Failed to sync');
    expect(await quiet('none', 'change')).toContain('Failed to sync');
  });

  test('is for runs that no one watches', async () => {
    const run = await world.run(['sync', 'a', 'b', '-P', '--quiet-unless', 'error']);
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('--progress')]);
  });
});

testOfAll('a receiver that does not answer changes no exit code, and is named once', async () => {
  expectNamedOnce(await silent.run);
  expect(asked).toBeGreaterThanOrEqual(2);
});
