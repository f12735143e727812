import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startServe } from '../../cli/start-serve.ts';
import { HAS_REDIS, startRedis, type TestRedis } from '../../support/redis-server.ts';
import { makeSyncerWorld, type SyncerWorld } from '../../support/run-syncer.ts';
import { hasTmux } from '../../support/tmux-terminal.ts';
import { type TuiWorld, tuiWorld } from '../../support/tui-world.ts';

const FILES = 100;

let world: TuiWorld;
let server: SyncerWorld;
let serving: Awaited<ReturnType<typeof startServe>>;
let redis: TestRedis;

beforeEach(async () => {
  world = await tuiWorld('queue');
  server = await makeSyncerWorld({ inOwnProcess: true });
  redis = await startRedis();
  await mkdir(join(server.dir, 'store/to'), { recursive: true });
  await mkdir(join(server.dir, 'store/from'));
  for (let n = 100; n < 100 + FILES; n++) {
    await writeFile(join(server.dir, `store/from/file ${n}.bin`), Buffer.alloc(200_000, n));
  }
  serving = await startServe(server, ['store']);
  const remote = (name: string, endpoint: string) =>
    `[${name}]\ntype = s3\nprovider = Other\nendpoint = ${endpoint}\naccess_key_id = a\nsecret_access_key = b\n`;
  // Two names of one server, so that it does not copy by itself.
  const other = serving.endpoint.replace('127.0.0.1', 'localhost');
  await writeFile(
    join(world.folder, 'syncer.conf'),
    remote('s', serving.endpoint) + remote('t', other),
  );
});
afterEach(async () => {
  serving.running.kill('SIGTERM');
  await serving.running.ended;
  await Promise.all([server.remove(), world.remove(), redis.stop()]);
});

/** A command without a terminal: what it prints, and its exit code. */
async function plain(...words: readonly string[]) {
  const program = resolve(import.meta.dirname, '../../../dist/syncer.js');
  const env = { PATH: process.env['PATH'], HOME: world.folder };
  const config = { SYNCER_CONFIG: join(world.folder, 'syncer.conf') };
  const run = promisify(execFile)(process.execPath, [program, ...words, '--queue', redis.url], {
    env: { ...env, ...config },
  });
  return run.then(
    ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
    (failed) => failed as { stdout: string; stderr: string; code: number },
  );
}

/** Kills a program of a worker and the worker itself, which would return its ranges at once. */
async function killWithParent(pid: number): Promise<void> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const parent = Number(/\) \S (\d+)/.exec(stat)?.[1]);
  process.kill(parent, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
}

describe.skipIf(!hasTmux || !HAS_REDIS)('a run of a queue on the screen', () => {
  test('the command and attach show all of it; a key leaves it, a key stops it for all', async () => {
    const sync = `sync s:from t:to --queue ${redis.url} -P --no-work --bwlimit 400k --transfers 2`;
    const run = await world.start(sync, { columns: 100 });
    await run.waitFor([
      /run \S+ {2}sync s:from → t:to/,
      '! waiting: no worker; start one',
      /q detach . \? keys/,
    ]);
    const worker = await world.start(`worker ${redis.url} --transfers 2`);
    await run.waitFor(['1 worker, 4 slots', /files [1-9]\d* of \d+/, /KiB\/s/]);

    const view = await world.start(`attach --queue ${redis.url}`, { columns: 40 });
    await view.waitFor([/files [1-9]\d* of \d+/, /q detach . s stop/]);
    await view.keys('q');
    await view.waitFor(['Detached; the run continues.', 'exit=0']);

    const listed = await plain('ps');
    expect(listed.stdout).toMatch(/^\S{4} +copying +\d+ s ago +\d+ files?, .* sync s:from t:to$/m);
    expect(listed.stdout).toMatch(/^\S+ +\d+ +\S{4} +4 /m);
    const [json] = JSON.parse((await plain('ps', '--json')).stdout);
    expect(json).toMatchObject({ verb: 'sync', phase: 'copying', totals: { workers: 1 } });

    const again = await world.start(`attach ${json.id.slice(-4)} --queue ${redis.url}`);
    await again.waitFor(/files [1-9]\d* of \d+/);
    await killWithParent(json.workers[0].pid);
    await again.waitFor(/ lost \d+ s ago: \d ranges? for others (in \d+ s|now)/);
    const other = await world.start(`worker ${redis.url} --transfers 2`);
    await again.waitFor('1 worker, 4 slots');
    await again.keys('s');
    await again.waitFor(/stop \S{4} \(sync s:from t:to\)\? +y yes, stop it/);
    await again.keys('y');
    await again.waitFor([/stopped . /, 'exit=130']);
    await run.waitFor([/stopped . /, /^files \d+/m, 'exit=130']);
    await worker.waitFor('exit=137');
    await other.keys('C-c');
    await other.waitFor('exit=');

    expect((await plain('ps')).stdout).toMatch(/^\S{4} +stopped \d+ s ago /m);
    const over = await plain('attach', json.id);
    expect(over.stdout).toMatch(/^Run \S+ .*files \d+ checked, [1-9]\d* transferred/m);
    expect(over).toMatchObject({ code: 130 });
    expect(over.stderr).toContain(`Run ${json.id} was stopped`);
    const none = await plain('attach');
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('o run is in progress'),
    });
  });

  test('a key that stops the command stops its own work only, and says so', async () => {
    const sync = `sync s:from t:to --queue ${redis.url} -P --bwlimit 400k --transfers 2`;
    const run = await world.start(sync, { columns: 150 });
    await run.waitFor(['1 worker, 4 slots', /files [1-9]\d* of \d+/, 'q stop']);
    await run.keys('q');
    await run.waitFor(['continues if it has other workers; to stop it: syncer stop', 'exit=130']);
    expect((await plain('ps')).stdout).toMatch(/^\S{4} +copying .* 0 +sync s:from t:to$/m);
    const [{ id }] = JSON.parse((await plain('ps', '--json')).stdout);
    expect((await plain('stop', id)).stdout).toBe(`${id}: stops after its current files\n`);
    expect((await plain('ps')).stdout).toMatch(/^\S{4} +stopped \d+ s ago /m);
  });

  test('it counts as a worker while it finishes its files, and a second Ctrl-C ends it at once', async () => {
    const sync = `sync s:from t:to --queue ${redis.url} -P --bwlimit 5k --transfers 1`;
    const run = await world.start(sync, { columns: 150 });
    // Without a file under way it ends at once.
    await run.waitFor(['1 worker, 4 slots', /[1-9] running/, /\d B\/s|\d [KM]iB\/s/, 'q stop']);
    await run.keys('C-c');
    await run.waitFor('Ctrl-C stops now');
    await sleep(8_000);
    expect(await run.screen()).toContain('1 worker, 4 slots');
    await run.keys('C-c');
    await run.waitFor('exit=130');
  });
});
