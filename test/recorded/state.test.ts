import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/core/context.ts';
import { startTestS3, type TestS3 } from '../servers/test-s3.ts';
import { readTree } from '../support/file-tree.ts';
import { canMount } from '../support/mount-place.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { PROGRAM } from '../support/run-syncer.ts';

/**
 * What the program of commit 317b82e3 left on a machine, by test/recorded/state-317b82e3/record.mjs: history, journals,
 * trash, a saved plan, a job, the state of bisync and of guards, caches, an upload in parts that was killed, and a mount
 * whose uploads wait. Each build opens it as if it was left yesterday.
 */
const ARCHIVE = join(import.meta.dirname, 'state-317b82e3/state.tar.gz');
/** Where it was recorded; the state names its places by their paths. */
const ROOT = '/tmp/syncer-state-317b82e3';
const LOCK = `${ROOT}.lock`;
const YESTERDAY = Date.parse('2026-11-30T15:00:00Z');
const DAY_MS = 86_400_000;
const { now } = systemClock;

let s3: TestS3;
let proxy: Server;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  await takeRoot();
});
afterAll(async () => {
  await rm(ROOT, { recursive: true, force: true });
  await rm(LOCK, { recursive: true, force: true });
});

beforeEach(async () => {
  await rm(ROOT, { recursive: true, force: true });
  execFileSync('tar', ['-xzpf', ARCHIVE, '-C', '/tmp']);
  vi.useFakeTimers({ toFake: ['Date'], now: YESTERDAY + DAY_MS });
  systemClock.now = () => Date.now();
  s3 = await startTestS3({
    root: `${ROOT}/buckets`,
    now: systemClock.now,
    authKeys: [{ accessKeyId: 'recorded-key', secretAccessKey: 'recorded-secret' }],
  });
  proxy = await startProxy(s3.endpoint);
  env = {
    PATH: process.env['PATH'],
    HOME: `${ROOT}/home`,
    SYNCER_CONFIG: `${ROOT}/syncer.conf`,
    HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  };
});
afterEach(async () => {
  vi.useRealTimers();
  systemClock.now = now;
  proxy.close();
  proxy.closeAllConnections();
  await s3.stop();
});

test('the history has all runs of the earlier program, and what of them can be undone', async () => {
  const { code, stdout } = await syncer('history', '--json');
  const before = await readFile(`${ROOT}/said/history`, 'utf8');
  expect(code).toBe(0);
  expect(runsOf(stdout)).toEqual(runsOf(before));
});

test('a sync of the earlier program is undone from its journal and its trash', async () => {
  const runs = runsOf(await readFile(`${ROOT}/said/history`, 'utf8'));
  const { id = '' } = runs.find(({ words }) => words.includes('--trash')) ?? {};
  expect(await syncer('undo', id)).toMatchObject({ code: 0 });
  expect(await textsOf('backup', 'letter', 'old', 'sub/note')).toEqual([
    'first letter',
    'deleted at the source',
    'a note',
  ]);
});

test('the trash of the earlier program is listed as before, and restored from', async () => {
  const { stdout } = await syncer('trash', 'ls', `${ROOT}/backup`);
  expect(stdout).toBe(await readFile(`${ROOT}/said/trash`, 'utf8'));
  expect(await syncer('trash', 'restore', `${ROOT}/backup`, 'old')).toMatchObject({ code: 0 });
  expect(await textsOf('backup', 'old')).toEqual(['deleted at the source']);
});

test('a plan that the earlier program saved is applied', async () => {
  expect(await syncer('apply', `${ROOT}/plan.json`)).toMatchObject({ code: 0 });
  expect(await treeOf('backup')).toEqual(await treeOf('docs'));
});

test('bisync goes on from what both sides had in the last run of the earlier program', async () => {
  const pair = ['bisync', `${ROOT}/left`, 'shelf:'];
  const before = await treeOf('left');
  expect(await syncer(...pair, '-v')).toMatchObject({ code: 0 });
  expect(await treeOf('left')).toEqual(before);
  await rm(`${ROOT}/left/gone-left`);
  await rm(`${ROOT}/shelf/gone-right`);
  await writeFile(`${ROOT}/shelf/changed`, 'changed on the right');
  await writeFile(`${ROOT}/left/from-left`, 'new on the left');
  expect(await syncer(...pair)).toMatchObject({ code: 0 });
  expect(Object.keys(await treeOf('left'))).toEqual(['both', 'changed', 'from-left', 'from-right']);
  expect(await treeOf('shelf')).toEqual(await treeOf('left'));
  expect(await textsOf('left', 'changed')).toEqual(['changed on the right']);
});

test('a guard knows from the earlier program which side was the source', async () => {
  const swapped = ['sync', `${ROOT}/backup`, `${ROOT}/docs`, '--guard', 'on'];
  const before = await treeOf('docs');
  expect(await syncer(...swapped)).toMatchObject({ code: 21 });
  expect(await treeOf('docs')).toEqual(before);
});

test('a job that the earlier program saved runs', async () => {
  expect(await syncer('run', 'nightly')).toMatchObject({ code: 0 });
  expect(await treeOf('backup')).toEqual(await treeOf('docs'));
});

test('scrub reads the hashes that the earlier program kept', async () => {
  const { code, stdout } = await syncer('scrub', `${ROOT}/backup`);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: '2 files, 19 B: 0 ok, 1 new, 1 changed, 0 suspect, 0 unreadable\n',
  });
});

test('an upload in parts that the earlier program left is aborted after a week', async () => {
  const left = () => syncer('uploads', 'ls', 'store:kept');
  expect((await left()).stdout).toContain('big/image');
  vi.setSystemTime(YESTERDAY + 8 * DAY_MS);
  expect(await syncer('copy', `${ROOT}/docs`, 'store:kept/other')).toMatchObject({ code: 0 });
  expect(await left()).toMatchObject({ code: 0, stdout: '' });
});

test.skipIf(!canMount)(
  'a mount uploads what waited on a mount of the earlier program',
  async () => {
    vi.useRealTimers();
    const mount = spawn(
      process.execPath,
      [PROGRAM, 'mount', 'shelf:', `${ROOT}/mnt`, '--vfs-cache-mode=writes', '--vfs-write-back=0s'],
      { env, stdio: 'ignore' },
    );
    const ended = once(mount, 'exit');
    try {
      await vi.waitFor(
        async () =>
          expect(await textsOf('shelf', 'waits', 'both')).toEqual([
            'written on the mount',
            'changed on the mount',
          ]),
        { timeout: 60_000, interval: 50 },
      );
    } finally {
      mount.kill('SIGTERM');
      await ended;
      spawnSync('umount', ['-l', `${ROOT}/mnt`], { stdio: 'ignore' });
    }
  },
);

/** Takes the only place where the recorded state is true; another run of the tests waits for it. */
async function takeRoot(): Promise<void> {
  for (;;) {
    try {
      await mkdir(LOCK);
      await writeFile(join(LOCK, 'pid'), `${process.pid}`);
      return;
    } catch {
      const pid = Number(await readFile(join(LOCK, 'pid'), 'utf8').catch(() => ''));
      if (pid > 0 && !isRunning(pid)) await rm(LOCK, { recursive: true, force: true });
      else await sleep(50);
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function syncer(...argv: readonly string[]) {
  return runInProcess(argv, env);
}

interface ListedRun {
  readonly id: string;
  readonly words: readonly string[];
}

function runsOf(text: string): readonly ListedRun[] {
  const runs = text.trim().split('\n');
  return runs.map((line) => JSON.parse(line) as ListedRun);
}

/** The files of a place, without the trash. */
async function treeOf(dir: string) {
  const files = Object.entries((await readTree(join(ROOT, dir))) ?? {});
  return Object.fromEntries(files.filter(([path]) => !path.startsWith('.syncer-trash/')));
}

function textsOf(dir: string, ...names: readonly string[]): Promise<string[]> {
  return Promise.all(names.map((name) => readFile(join(ROOT, dir, name), 'utf8')));
}

/** A proxy that takes every host for the store. */
async function startProxy(endpoint: string): Promise<Server> {
  const { port } = new URL(endpoint);
  const server = createServer((from, to) => {
    const { pathname, search } = new URL(from.url ?? '');
    const on = request(
      { port, method: from.method, headers: from.headers, path: pathname + search },
      (response) => {
        to.writeHead(response.statusCode ?? 0, response.rawHeaders);
        response.pipe(to);
      },
    );
    on.on('error', () => to.destroy());
    from.pipe(on);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
