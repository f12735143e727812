import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startTestGraph } from '../servers/graph/start-graph.ts';
import { ALL, someOf, testOfAll } from '../support/in-part.ts';
import { listedIn } from '../support/open-state.ts';
import { makeSyncerWorld, type Running, type WorldOptions } from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';
import { startServe } from './start-serve.ts';

/** A world with a list of running runs of its own. */
async function makeOwnWorld(options: WorldOptions = {}) {
  const world = await makeSyncerWorld(options);
  const env: Record<string, string> = { XDG_RUNTIME_DIR: world.dir };
  for (const dir of ['from/sub', 'other']) await mkdir(join(world.dir, dir), { recursive: true });
  for (let n = 0; n < 3; n++) await writeFile(join(world.dir, `from/${n}`), 'x'.repeat(600_000));
  await writeFile(join(world.dir, 'other/one'), '1');
  return {
    world,
    env,
    start: (...args: string[]) => world.start(args, { env }),
    async syncer(...args: string[]) {
      const { code, stderr } = await world.run(args, { env });
      return { code, stderr: stderr.replace(/.*Config file.*\n/, '') };
    },
  };
}

type OwnWorld = Awaited<ReturnType<typeof makeOwnWorld>>;

let world: OwnWorld['world'];
let env: OwnWorld['env'];
let start: OwnWorld['start'];
let syncer: OwnWorld['syncer'];
beforeEach(async () => {
  const own = await makeOwnWorld();
  ({ world, env, start, syncer } = own);
  return () => own.world.remove();
});

const SLOW = ['--bwlimit', '20k'];

const entries = () => listedIn(join(world.dir, '../home/.local/state'));

/** Starts a copy that takes until it is stopped; resolves when it is listed with its places. */
async function slowCopy(...more: string[]): Promise<Running> {
  const run = start('copy', 'from', 'to', ...SLOW, ...more);
  while ((await entries()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  return run;
}

async function stop(run: Running): Promise<void> {
  run.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
}

/** Of the runs that start at the same time. */
const RUNS = ALL ? 20 : 4;

test('only one of many runs that start at the same time gets the lock', async () => {
  const runs = Array.from({ length: RUNS }, () => start('copy', 'from', 'to', ...SLOW, '--lock'));
  const ends = runs.map(() => 'runs' as number | string | null);
  for (const [at, run] of runs.entries()) void run.ended.then(({ code }) => (ends[at] = code));
  await waitFor(() => ends.filter((end) => end !== 'runs').length >= RUNS - 1);
  const refused = Array.from({ length: RUNS - 1 }, () => 75);
  expect(ends.toSorted()).toEqual([...refused, 'runs'].toSorted());
  await stop(runs[ends.indexOf('runs')] as Running);
}, 240_000);

test('a busy place is refused with its holder, at once, and what lies in it or above it', async () => {
  const run = await slowCopy('--lock');
  const id = (await entries())[0]?.id.slice(-4);
  for (const args of [
    ['sync', 'other', 'to'],
    ['copy', 'other', 'to/deep/er'],
    ['move', 'other', '.'],
    ['purge', 'to'],
    ['delete', 'to'],
  ]) {
    const { code, stderr } = await syncer(...args, '--lock');
    expect([args[0], code]).toEqual([args[0], 75]);
    expect(stderr).toContain(
      `locked by run ${id}, which changes the same place: syncer copy from to --bwlimit 20k --lock, for `,
    );
    expect(stderr).toContain('nothing was changed; wait for it with --lock-wait 10m, or watch');
  }
  expect(await readdir(join(world.dir, 'other'))).toEqual(['one']);
  for (const args of [
    ['sync', 'other', 'elsewhere'],
    ['copy', 'to', 'backup'],
    ['sync', 'other', 'to', '--dry-run'],
  ]) {
    expect([args, (await syncer(...args, '--lock')).code]).toEqual([args, 0]);
  }
  await stop(run);
});

test('why says what a lock would do', async () => {
  const run = await slowCopy();
  const why = async (...flags: string[]) => {
    const { stdout } = await world.run(['why', 'from', 'to/sub', '0', ...flags], { env });
    return String(stdout);
  };
  const holder = /run \w{4}, which changes the same place: syncer copy from to --bwlimit 20k, for /;
  expect(await why()).toMatch(holder);
  expect(await why()).toContain('without --lock the run is not kept from it');
  expect(await why('--lock')).toMatch(/^0: sync: stop: locked by run /m);
  expect(await why('--lock')).not.toContain('requests');
  expect(await why('--lock-wait', '90s')).toMatch(/waits for run .*; at most 1m30s$/m);
  await stop(run);
  expect(await why('--lock')).toContain('no other run on this machine changes the same place');
  expect(await why()).not.toMatch(/^lock/m);
});

test('a killed run holds nothing: the next one starts', async () => {
  const run = await slowCopy('--lock');
  run.kill('SIGKILL');
  await run.ended;
  expect(await syncer('sync', 'other', 'to', '--lock')).toEqual({ code: 0, stderr: '' });
});

/** How to start a program that cannot look at the processes of others. */
const CONTAINERS = {
  'without /proc': ['-m', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh'],
  'with its own PIDs': ['-m', '-p', '-f', '--kill-child', '--mount-proc'],
} as const;

test.runIf(process.getuid?.() === 0).each(someOf(Object.entries(CONTAINERS), 1))(
  'a run in a container %s keeps others away until it is killed',
  async (_, words) => {
    const through = ['unshare', ...words];
    const run = world.start(['copy', 'from', 'to', ...SLOW, '--lock'], { env, through });
    while (!(await entries()).some(({ isLocked }) => isLocked)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const sync = ['sync', 'other', 'to', '--lock'];
    for (const how of [{ env }, { env, through }]) {
      const { code, stderr } = await world.run(sync, how);
      expect([code, stderr]).toEqual([75, expect.stringContaining('locked by run ')]);
    }
    run.kill('SIGKILL');
    await run.ended;
    const { code, stderr } = await world.run(sync, { env });
    expect([code, stderr.replace(/.*Config file.*\n/, '')]).toEqual([0, '']);
    expect(await entries()).toEqual([]);
  },
);

test('--lock-wait waits for the end of the other run, and no longer than that', async () => {
  const run = await slowCopy();
  const late = await syncer('sync', 'other', 'to', '--lock-wait', '1s');
  expect(late.code).toBe(75);
  expect(late.stderr).toContain('Waiting for run ');
  const waiting = start('sync', 'other', 'to', '--lock-wait', '5m');
  await waitFor(() => waiting.seen.stderr.includes('Waiting for run '));
  await stop(run);
  expect((await waiting.ended).code).toBe(0);
  expect(await readdir(join(world.dir, 'to'))).toEqual(['one']);
});

test('without --lock another run is a notice, and changes nothing', async () => {
  const run = await slowCopy();
  const again = start('copy', 'from', 'to', ...SLOW);
  await waitFor(() => again.seen.stderr.includes('Not alone: run '));
  expect(again.seen.stderr).toContain('--lock keeps runs apart');
  await stop(again);
  await stop(run);
});

test('without a directory for the list nothing is locked, and nothing runs', async () => {
  await writeFile(join(world.dir, 'syncer'), '');
  const nowhere = { ...env, XDG_STATE_HOME: join(world.dir, 'syncer/x') };
  const { code, stderr } = await world.run(['sync', 'other', 'to', '--lock'], { env: nowhere });
  expect(code).toBe(1);
  expect(stderr).toContain('cannot lock: the state of syncer cannot be used: ');
});

/** A world for one of the tests that wait at the same time, which a shared working directory does not allow. */
async function withWorld(task: (own: OwnWorld) => Promise<void>): Promise<void> {
  const own = await makeOwnWorld({ inOwnProcess: true });
  try {
    await task(own);
  } finally {
    await own.world.remove();
  }
}

// A run looks at a lock for a while before it refuses or stops: these tests do not wait for each other.
describe.concurrent('--lock-remote', () => {
  const serving = async ({ world }: OwnWorld) => {
    await mkdir(join(world.dir, 'store/bucket'), { recursive: true });
    const { endpoint } = await startServe(world, ['store']);
    await writeFile(
      world.config,
      `[s]\ntype = s3\nprovider = Other\nendpoint = ${endpoint}\naccess_key_id = a\nsecret_access_key = b\n`,
    );
  };
  const lockOf = async ({ world }: OwnWorld) =>
    JSON.parse(await readFile(join(world.dir, 'store/bucket/.syncer-lock'), 'utf8'));
  const lockIsThere = ({ world }: OwnWorld) =>
    waitFor(() => existsSync(join(world.dir, 'store/bucket/.syncer-lock')));

  test('a run holds the lock, a second one is refused; it is released, and never copied or deleted', () =>
    withWorld(async (own) => {
      const { world, env, start, syncer } = own;
      await serving(own);
      const first = start('copy', 'from', 's:bucket', ...SLOW, '--lock-remote');
      await lockIsThere(own);
      const other = { ...env, XDG_RUNTIME_DIR: join(world.dir, 'other-machine') };
      const refused = await world.run(['sync', 'other', 's:bucket', '--lock-remote'], {
        env: other,
      });
      expect(refused.code).toBe(75);
      expect(refused.stderr).toContain(`is locked by run ${(await lockOf(own)).id} on `);
      const { id } = await lockOf(own);
      const pretended = await syncer('unlock', 's:bucket', id, '--dry-run');
      expect(pretended.stderr).toContain('Skipped unlock as --dry-run is set');
      const wrong = await syncer('unlock', 's:bucket', 'another', '--dry-run');
      expect([wrong.code, wrong.stderr]).toEqual([
        4,
        expect.stringContaining(
          `run another does not hold the lock of S3 bucket bucket: run ${id}`,
        ),
      ]);
      expect(await lockOf(own)).toMatchObject({ id, isReleased: false });
      await stop(first);
      expect(await lockOf(own)).toMatchObject({ generation: 1, isReleased: true });
      expect((await syncer('sync', 'other', 's:bucket', '--lock-remote')).code).toBe(0);
      expect(await lockOf(own)).toMatchObject({ generation: 2, isReleased: true });
      const listed = await world.run(['lsf', '-R', 's:bucket'], { env });
      expect(String(listed.stdout)).toBe('one\n');
      expect((await syncer('delete', 's:bucket', '--lock-remote')).code).toBe(0);
      expect(await lockOf(own)).toMatchObject({ generation: 3, isReleased: true });
    }));

  test('the lock is no change of the run: not in its trash, its history or its undo', () =>
    withWorld(async (own) => {
      await serving(own);
      const { syncer } = own;
      for (const from of ['other', 'from']) {
        const { code, stderr } = await syncer('copy', from, 's:bucket', '--lock-remote', '--trash');
        expect([code, stderr]).toEqual([0, expect.not.stringContaining('.syncer-lock')]);
      }
      const listed = await own.world.run(['history', 's:bucket/.syncer-lock'], { env: own.env });
      expect(String(listed.stdout)).not.toContain('copy');
      const runs = await own.world.run(['history', '--json'], { env: own.env });
      const { id } = JSON.parse(String(runs.stdout).split('\n')[0] ?? '');
      expect((await syncer('undo', id)).code).toBe(0);
      expect(await lockOf(own)).toMatchObject({ generation: 2, isReleased: true });
    }));

  testOfAll('a run whose lock is freed stops, and deletes nothing any more', () =>
    withWorld(async (own) => {
      await serving(own);
      const run = own.start('sync', 'from', 's:bucket', ...SLOW, '--lock-remote');
      await lockIsThere(own);
      const { id } = await lockOf(own);
      expect((await own.syncer('unlock', 's:bucket', id)).code).toBe(0);
      const { code, stderr } = await run.ended;
      expect(code).toBe(75);
      expect(stderr).toContain('it was freed with "syncer unlock"; nothing is changed any more');
    }),
  );

  test('local directories are refused, also by a dry run of unlock', () =>
    withWorld(async ({ syncer }) => {
      for (const words of [
        ['sync', 'other', 'to', '--lock-remote'],
        ['unlock', 'to', 'run', '--dry-run'],
      ] as const) {
        const { code, stderr } = await syncer(...words);
        expect([code, stderr]).toEqual([
          1,
          expect.stringContaining('--lock-remote is not for local directories'),
        ]);
      }
    }));

  testOfAll('on a drive: a second run is refused, and the lock is released', () =>
    withWorld(async ({ world, env, start, syncer }) => {
      const graph = await startTestGraph({ drives: [{ type: 'business' }] });
      try {
        const keys = Object.entries({ ...graph.section(), graph_url: graph.graphUrl });
        await writeFile(
          world.config,
          `[d]\n${keys.map(([key, value]) => `${key} = ${value}\n`).join('')}`,
        );
        const lockOf = () => String(graph.drive.read('to/.syncer-lock') ?? '');
        const first = start('copy', 'from', 'd:to', ...SLOW, '--lock-remote');
        await waitFor(() => lockOf() !== '');
        const elsewhere = { ...env, XDG_RUNTIME_DIR: join(world.dir, 'other-machine') };
        const refused = await world.run(['sync', 'other', 'd:to', '--lock-remote'], {
          env: elsewhere,
        });
        expect(refused.code, refused.stderr).toBe(75);
        expect(refused.stderr).toContain(`is locked by run ${JSON.parse(lockOf()).id} on `);
        await stop(first);
        expect(JSON.parse(lockOf())).toMatchObject({ generation: 1, isReleased: true });
        expect((await syncer('sync', 'other', 'd:to', '--lock-remote')).code).toBe(0);
        expect(JSON.parse(lockOf())).toMatchObject({ generation: 2, isReleased: true });
        expect(graph.drive.files()).toEqual(['to/.syncer-lock', 'to/one']);
      } finally {
        await graph.stop();
      }
    }),
  );
});
