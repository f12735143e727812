import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pastRuns } from '../../src/state/runs.ts';
import { testOfAll } from '../support/in-part.ts';
import { inState, listedIn } from '../support/open-state.ts';
import {
  IN_TERMINAL,
  makeSyncerWorld,
  type Running,
  type SyncerWorld,
} from '../support/run-syncer.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWebhook } from '../support/webhook-beside.ts';

let world: SyncerWorld;
let env: Record<string, string>;
beforeEach(async () => {
  world = await makeSyncerWorld();
  env = { XDG_RUNTIME_DIR: world.dir };
  await mkdir(join(world.dir, 'from'));
  for (let n = 0; n < 6; n++) await writeFile(join(world.dir, `from/${n}`), 'x'.repeat(600_000));
});
afterEach(() => world.remove());

const folder = () => join(world.dir, 'syncer/running');
const listed = async () =>
  (await listedIn(join(world.dir, '../home/.local/state'))).map(({ id }) => id);
/** Runs of the list and their sockets. */
const entries = async () => [
  ...(await listed()),
  ...(existsSync(folder()) ? await readdir(folder()) : []),
];
const syncer = async (...args: string[]) => {
  const { code, stdout, stderr } = await world.run(args, { env });
  return { code, stdout: String(stdout), stderr };
};

/** The lines of `ps` for copies of the test: it lists mounts of the whole machine, too. */
const copies = async () => (await syncer('ps')).stdout.match(/.*copy from to.*/g) ?? [];

/** Starts a copy that takes until it is stopped; resolves to its id when it is listed. */
async function slowCopy(...more: string[]): Promise<{ run: Running; id: string }> {
  const args = ['copy', 'from', 'to', '--bwlimit', '20k', '--transfers', '2', ...more];
  const run = world.start(args, { env });
  for (;;) {
    const [id] = await listed();
    if (id !== undefined) return { run, id };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a run is listed, paused, changed, let go on, watched and stopped', async () => {
  const { run, id } = await slowCopy('--http-proxy', 'http://me:geheim@127.0.0.1:1');
  const end = id.slice(-4);
  const { stdout } = await syncer('ps');
  expect(stdout).toMatch(new RegExp(`^${end} +\\d+%, .*copy from to --bwlimit 20k`, 'm'));
  expect(stdout).not.toContain('geheim');
  expect(await syncer('pause', end)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/: paused\n$/),
  });
  expect(JSON.parse((await syncer('ps', '--json')).stdout)).toContainEqual(
    expect.objectContaining({ type: 'run', id, state: 'paused', pid: run.pid, dir: world.dir }),
  );
  const set = await syncer('set', id, 'transfers=3', 'bwlimit=21k');
  expect(set.stdout).toMatch(/: transfers=3 bwlimit=21Ki\n$/);
  expect((await syncer('resume', id)).stdout).toMatch(/: goes on\n$/);
  const watching = world.start(['attach', end], { env });
  await waitFor(() => /ETA/.test(watching.seen.stdout));
  expect((await syncer('stop', end, '--now')).stdout).toMatch(/: stopped\n$/);
  expect((await run.ended).code).toBe(130);
  const watched = await watching.ended;
  expect(watched.code).toBe(1);
  expect(watched.stderr).toContain('ended with exit code 130');
  expect(await entries()).toEqual([]);
  expect(await copies()).toEqual([]);
});

test('SIGTERM takes a run off the list; one that was killed goes with the next look', async () => {
  const { run } = await slowCopy();
  run.kill('SIGTERM');
  expect((await run.ended).code).toBe(143);
  expect(await entries()).toEqual([]);
  const killed = await slowCopy();
  killed.run.kill('SIGKILL');
  await killed.run.ended;
  expect(await entries()).toHaveLength(2);
  expect(await copies()).toEqual([]);
  expect(await entries()).toEqual([]);
});

test('a name that fits no run, or several, changes nothing', async () => {
  expect(await syncer('attach')).toMatchObject({ code: 4 });
  expect((await syncer('attach')).stderr).toContain(
    'no run of this user is running; as root, "syncer ps --all" lists the runs of all users',
  );
  const { run } = await slowCopy();
  const none = await syncer('stop', 'nope');
  expect(none).toMatchObject({ code: 4 });
  expect(none.stderr).toContain(
    'no run "nope" of this user is running; "syncer ps" lists your runs in progress; as root, "syncer ps --all" lists the runs of all users',
  );
  expect((await syncer('set', 'nope', 'transfers=0')).stderr).toContain('transfers is a number');
  run.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
});

testOfAll('attach takes keys after its list of two runs', async () => {
  const { run } = await slowCopy();
  const other = world.start(['copy', 'from', 'there', '--bwlimit', '20k'], { env });
  while ((await listed()).length < 2) await sleep(20);
  const watching = world.start(['attach'], { env, through: IN_TERMINAL, input: { open: true } });
  const { seen } = watching;
  await waitFor(() => seen.stdout.includes('Which run?'), watching.ended);
  watching.write('\x1b[B');
  watching.write('\r');
  await waitFor(() => seen.stdout.includes('detach'), watching.ended);
  watching.write('q');
  expect((await watching.ended).code).toBe(0);
  expect(seen.stdout).toContain('Detached; the run continues.');
  for (const one of [run, other]) {
    one.kill('SIGINT');
    expect((await one.ended).code).toBe(130);
  }
});

test('a signal without a handler leaves the terminal of -P as it was', async () => {
  const slow = ['copy', 'from', 'to', '--bwlimit', '20k', '-P'];
  const run = world.start(slow, { env, through: IN_TERMINAL, input: { open: true } });
  await waitFor(() => run.seen.stdout.includes('ETA'), run.ended);
  while ((await listed()).length === 0) await sleep(20);
  // It lists mounts of the whole machine, too; and 0 would be the processes of the tests.
  const all = JSON.parse((await syncer('ps', '--json')).stdout) as { type: string; pid: number }[];
  const { pid } = all.find(({ type }) => type === 'run') as (typeof all)[number];
  process.kill(pid, 'SIGPWR');
  const { stdout } = await run.ended;
  const after = stdout.toString().split('ETA').at(-1);
  expect(after).toContain('\x1b[?2004l');
  expect(after).toContain('\x1b[?25h');
});

test.runIf(process.getuid?.() === 0)(
  'ps --all is for root, and names the user of each run',
  async () => {
    const { run, id } = await slowCopy();
    const { code, stdout } = await syncer('ps', '--all');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^RUN +USER +STATE /)]);
    expect(stdout).toMatch(new RegExp(`^${id.slice(-4)} +${userInfo().username} +\\d+%`, 'm'));
    run.kill('SIGINT');
    await run.ended;
    const through = ['setpriv', '--reuid=65534', '--clear-groups'];
    const nobody = { HOME: '/', SYNCER_CONFIG: '' };
    const refused = await world.run(['ps', '--all'], { cwd: '/', env: nobody, through });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'only root can list the runs of other users; run it with sudo',
    );
  },
);

test('a directory for the list that cannot be used changes nothing for the run', async () => {
  await writeFile(join(world.dir, 'syncer'), '');
  const state = join(world.dir, 'syncer/state');
  const nowhere = { XDG_RUNTIME_DIR: world.dir, XDG_STATE_HOME: state };
  const args = ['copy', 'from', 'to', '--bwlimit', '1M', '--no-history'];
  const { code, stderr } = await world.run(args, { env: nowhere });
  expect(stderr.replace(/.*Config file.*\n/, '')).toBe('');
  expect(code).toBe(0);
});

test('a hook server is listed with what its hooks do', async () => {
  await writeFile(join(world.dir, 'hooks.json'), '[{"id":"x","execute-command":"/bin/true"}]');
  const server = await startWebhook('ours', {
    cwd: world.dir,
    args: ['-hooks', 'hooks.json', '-control', 'control'],
    env: { ...env, HOME: join(world.dir, '../home') },
  });
  let shown = '';
  while (!shown.includes('-hooks hooks.json')) shown = (await syncer('ps')).stdout;
  expect(shown).toMatch(/ 1 hook {2}.* webhook .*-hooks hooks.json/);
  const id = (await listed())[0] ?? '';
  expect((await syncer('stop', id)).stderr).toContain('is a webhook, and not a run of syncer');
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(await entries()).toEqual([]);
});

test('a state that is damaged or in use fails no copy and no hook server; --lock refuses', async () => {
  const folder = join(world.dir, '../home/.local/state/syncer');
  const path = join(folder, 'state.db');
  await syncer('copy', 'from', 'to');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const busy = await syncer('copy', 'from/1', 'again');
  expect([busy.code, busy.stderr]).toEqual([
    0,
    expect.stringContaining(
      'the history has not all of this run: another program uses the state of syncer',
    ),
  ]);
  // Of a run without a row only the second is known in which it began.
  const runs = (await syncer('history')).stdout.match(/^\d{8}-.*$/gm);
  expect(runs).toHaveLength(2);
  expect(runs).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/ not recorded .* can be undone until /),
      expect.stringMatching(/ done .* copy from to/),
    ]),
  );
  expect((await syncer('ps')).code).toBe(0);
  other.close();
  await rm(folder, { recursive: true });
  await mkdir(folder);
  await writeFile(path, 'x'.repeat(5000));
  const damaged = await syncer('copy', 'from/2', 'again');
  const repair = `the state of syncer is damaged: ${path}; run "syncer doctor --fix"`;
  expect([damaged.code, damaged.stderr]).toEqual([0, expect.stringContaining(repair)]);
  for (const args of [['copy', 'from/3', 'again', '--lock'], ['ps'], ['history']]) {
    const { code, stderr } = await syncer(...args);
    expect([args[0], code, stderr]).toEqual([args[0], 1, expect.stringContaining(repair)]);
  }
  expect((await readdir(join(world.dir, 'again'))).sort()).toEqual(['1', '2']);
  await writeFile(join(world.dir, 'hooks.json'), '[{"id":"x","execute-command":"/bin/true"}]');
  const server = await startWebhook('ours', {
    cwd: world.dir,
    args: ['-hooks', 'hooks.json'],
    env: { ...env, HOME: join(world.dir, '../home') },
  });
  await waitFor(() => server.seen.stderr.includes('"syncer ps" does not list this process'));
  expect(await server.exchange('GET /hooks/x HTTP/1.0\r\n\r\n')).toContain(' 200 OK');
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});

test('a run that copies the own state shares it with others as before', async () => {
  const state = join(world.dir, '../home/.local/state');
  expect((await syncer('copy', 'from', 'first')).code).toBe(0);
  for (const name of ['a', 'z']) await writeFile(join(state, 'syncer', name), 'x'.repeat(60_000));
  const copy = ['copy', join(state, 'syncer'), 'backup', '--exclude', 'running/**'];
  const run = world.start([...copy, '--transfers=1', '--bwlimit=30k', '--lock'], { env });
  await waitFor(() => existsSync(join(world.dir, 'backup/state.db')));
  expect((await syncer('copy', 'from', 'second')).code).toBe(0);
  expect((await syncer('copy', 'from', 'backup', '--lock')).code).toBe(75);
  // Closing the file that it had read has ended its locks: others must not take it for gone, and delete the log.
  expect(existsSync(join(state, 'syncer/state.db-wal'))).toBe(true);
  run.kill('SIGINT');
  expect((await run.ended).code).toBe(130);
  expect((await syncer('copy', 'from', 'third')).code).toBe(0);
  const [words, fault] = await inState(state, (database) => [
    pastRuns(database, 9).map((past) => past.words[2]),
    database.fault(),
  ]);
  expect([words, fault]).toEqual([['third', 'backup', 'backup', 'second', 'first'], undefined]);
});
