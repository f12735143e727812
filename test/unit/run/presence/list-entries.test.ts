import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serveRun } from '../../../../src/run/presence/enter-presence.ts';
import {
  entriesOf,
  listEntries,
  ownRunFolders,
  runFolders,
} from '../../../../src/run/presence/list-entries.ts';
import { withStatus } from '../../../../src/run/presence/running-summary.ts';
import { enterRun } from '../../../../src/state/enter-run.ts';
import { knownRuns, listedRuns, putRun, type RunEntry } from '../../../../src/state/runs.ts';
import { Stores } from '../../../../src/state/stores.ts';
import { ownMark } from '../../../../src/system/owner-state.ts';
import { runEntry, servedRun } from './run-world.ts';

const SOURCE = join(import.meta.dirname, '../../../../src');

let home: string;
let folder: string;
let env: NodeJS.ProcessEnv;
let stores: Stores;
let said: string[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'running-'));
  env = { XDG_STATE_HOME: home, XDG_RUNTIME_DIR: join(home, 'run') };
  folder = join(home, 'run/syncer/running');
  said = [];
  stores = new Stores({ state: join(home, 'syncer'), cache: undefined }, (text) => said.push(text));
  await mkdir(folder, { recursive: true, mode: 0o700 });
});
afterEach(async () => {
  await stores.close();
  await rm(home, { recursive: true, force: true });
});

const mine = () => runEntry({ mark: ownMark(), host: hostname() });
const list = () => listEntries({ stores, env });
const enter = (serve?: Parameters<typeof enterRun>[3]) =>
  enterRun(stores, ownRunFolders(env), mine(), serve);

/** Puts a run on the list whose socket is a file. */
async function put(entry: RunEntry): Promise<void> {
  const socket = join(folder, `${entry.id}.sock`);
  await writeFile(socket, '');
  putRun(await stores.state(), { ...entry, isListed: true, socket });
}

/** The list, when the run is on it. */
async function entered(): Promise<readonly RunEntry[]> {
  await expect.poll(list).not.toEqual([]);
  return list();
}

test('a run is listed from its entry to its end, for this user alone', async () => {
  expect(await list()).toEqual([]);
  const server = serveRun(servedRun().run, () => {});
  const { leave } = await enter(server.serve);
  const [run = mine()] = await entered();
  expect(run).toMatchObject(mine());
  expect((await withStatus(run)).status).toMatchObject({ nowMs: 7, isPaused: false });
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await leave();
  expect(await readdir(folder)).toEqual([]);
});

test('a directory that others may use, or that cannot be used, gets no socket', async () => {
  const state = join(home, 'syncer/running');
  await chmod(folder, 0o755);
  const first = await enter(() => {});
  expect(await readdir(folder)).toEqual([]);
  expect(first.entry.socket).toBe(join(state, `${mine().id}.sock`));
  await first.leave();
  await rm(state, { recursive: true });
  await writeFile(state, '');
  const second = await enter(() => {});
  expect(second.entry.socket).toBeUndefined();
  expect(await entered()).toHaveLength(1);
  await second.leave();
});

test('dead processes are taken off the list, also those of an earlier boot of this machine', async () => {
  const dead = ownMark().replace(/-\w+$/, '-1');
  await put(runEntry({ mark: dead }));
  await put(runEntry({ id: '20261121-113012-aaaa', mark: 'f-1-1', host: hostname() }));
  // A directory that machines share.
  await put(runEntry({ id: '20261121-113012-bbbb', mark: 'f-1-1', host: 'elsewhere' }));
  // In a container whose sockets are not here.
  const contained = { id: '20261121-113012-dddd', mark: 'f-1-1', host: hostname() };
  const begun = runEntry({ ...contained, startedMs: Date.now() });
  putRun(await stores.state(), { ...begun, isListed: true });
  // A run that has changed something.
  await put(runEntry({ id: '20261121-113012-cccc', mark: dead }));
  await mkdir(join(home, 'syncer/runs/20261121-113012-cccc'), { recursive: true });
  expect(await list()).toEqual([]);
  const ends = (runs: readonly { readonly id: string }[]) => runs.map(({ id }) => id.slice(16));
  const database = await stores.state();
  expect(ends(listedRuns(database))).toEqual(['bbbb', 'dddd']);
  expect(ends(knownRuns(database)).sort()).toEqual(['bbbb', 'cccc', 'dddd']);
  expect((await readdir(folder)).map((name) => name.slice(16, 20))).toEqual(['bbbb']);
});

test('a process that lives but does not answer is listed without its state', async () => {
  const { leave } = await enter((socket) => socket.destroy());
  const [run = mine()] = await entered();
  expect(run.id).toBe(mine().id);
  expect((await withStatus(run)).status).toBeUndefined();
  await leave();
});

test('a process with the number of one that is gone is another one', async () => {
  await put(mine());
  // The file is no socket, so that nothing listens there.
  expect(await list()).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test('of another user only their own files and sockets count, and nothing is deleted', async () => {
  const uid = process.geteuid?.() ?? 0;
  const server = serveRun(servedRun().run, () => {});
  const { entry, leave } = await enter(server.serve);
  await entered();
  await put(runEntry({ id: '20261121-113012-aaaa' }));
  const database = await stores.state();
  putRun(database, { ...runEntry({ id: '../x', mark: ownMark() }), isListed: true });
  const theirs = (about: Partial<{ uid: number; env: NodeJS.ProcessEnv }>) =>
    entriesOf({ name: 'other', uid, env, ...about });
  expect(await theirs({})).toEqual([entry]);
  expect(await theirs({ uid: uid + 1 })).toEqual([]);
  const linked = join(home, 'linked');
  await mkdir(join(linked, 'syncer'), { recursive: true });
  await symlink(join(home, 'syncer/state.db'), join(linked, 'syncer/state.db'));
  expect(await theirs({ env: { XDG_STATE_HOME: linked } })).toEqual([]);
  const viewed = join(home, 'viewed');
  await mkdir(join(viewed, 'syncer'), { recursive: true });
  const other = new DatabaseSync(join(viewed, 'syncer/state.db'));
  other.exec(
    'CREATE VIEW runs AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT * FROM n',
  );
  other.close();
  expect(await theirs({ env: { XDG_STATE_HOME: viewed } })).toEqual([]);
  expect(process.geteuid?.()).toBe(uid);
  await leave();
  expect(listedRuns(database)).toHaveLength(3);
});

test.runIf(process.getuid?.() === 0)(
  'root reads the list of another user with the rights of that user',
  async () => {
    await put(mine());
    const database = await stores.state();
    const entry = { ...mine(), id: '20261121-113012-aaaa', isListed: true } as const;
    putRun(database, entry);
    await stores.leave();
    await chmod(home, 0o755);
    const run = promisify(execFile);
    await run('chown', ['-R', '65534', home]);
    const script = `
      import { entriesOf } from ${JSON.stringify(join(SOURCE, 'run/presence/list-entries.ts'))};
      const other = { name: 'other', uid: 65534, env: ${JSON.stringify(env)} };
      console.log(JSON.stringify([await entriesOf(other), process.geteuid()]));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(JSON.parse(stdout)).toEqual([[entry], 0]);
    const { stdout: owners } = await run('find', [home, '!', '-uid', '65534']);
    expect(owners).toBe('');
  },
);

test('a run without a socket is listed while its process lives', async () => {
  const { leave } = await enter();
  expect(await entered()).toHaveLength(1);
  await leave();
});

test('a list that is locked or damaged is a notice, and holds up nobody', async () => {
  const other = new DatabaseSync((await stores.state()).path);
  other.exec('BEGIN IMMEDIATE');
  const { add, leave } = await enter(() => {});
  await add({ places: [] });
  expect(said).toEqual([
    '"syncer ps" does not list this process: another program uses the state of syncer',
  ]);
  // Readers do not wait.
  expect(await list()).toEqual([]);
  await leave();
  other.close();
  await writeFile(join(home, 'state.db'), 'x'.repeat(5000));
  const damaged = new Stores({ state: home, cache: undefined }, (text) => said.push(text));
  const second = await enterRun(damaged, [], mine());
  await second.add({ places: [] });
  expect(said[1]).toMatch(/ is damaged: .*; run "syncer doctor --fix"$/);
  await expect(listEntries({ stores: damaged, env })).rejects.toMatchObject({ code: 'config' });
  await second.leave();
});

test('sockets are in the runtime directory, or else below the state directory', () => {
  const both = { XDG_RUNTIME_DIR: '/run/me', HOME: '/home/me' };
  const state = '/home/me/.local/state/syncer/running';
  expect(runFolders(both)).toEqual(['/run/me/syncer/running', state]);
  expect(runFolders({ HOME: '/home/me', XDG_RUNTIME_DIR: 'relative' })[0]).toBe(state);
  expect(runFolders({ HOME: '/home/me' })).toHaveLength(2);
});

test('sockets that killed processes left without an entry are deleted, unless they are new', async () => {
  const names = ['20261121-113012-bbbb.sock', '20261121-113012-dddd.sock'];
  for (const name of names) await writeFile(join(folder, name), '');
  await utimes(join(folder, names[0] ?? ''), 1, 1);
  await list();
  expect(await readdir(folder)).toEqual([names[1]]);
});
