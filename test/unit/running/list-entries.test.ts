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
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownMark } from '../../../src/kit/owner-state.ts';
import { enterRun } from '../../../src/running/enter-run.ts';
import { listEntries } from '../../../src/running/list-entries.ts';
import { listRuns } from '../../../src/running/list-runs.ts';
import { formatRunEntry, parseRunEntry } from '../../../src/running/run-entry.ts';
import { runFolders } from '../../../src/running/run-folders.ts';
import { serveRun } from '../../../src/running/serve-run.ts';
import { fakeServices, runEntry } from './run-world.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'running-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const mine = () => runEntry({ mark: ownMark(), host: hostname() });
const put = async (entry: ReturnType<typeof runEntry>) => {
  await writeFile(join(folder, `${entry.id}.json`), formatRunEntry(entry));
  await writeFile(join(folder, `${entry.id}.sock`), '');
};

test('a run is listed from its entry to its end, for this user alone', async () => {
  const into = join(folder, 'a/b');
  const server = serveRun(fakeServices().services);
  const entered = await enterRun([into], mine(), server.serve);
  const [run] = await listRuns([into]);
  expect(run).toMatchObject({ entry: mine(), status: { nowMs: 7, isPaused: false } });
  expect((await stat(into)).mode & 0o777).toBe(0o700);
  expect((await stat(join(into, `${mine().id}.json`))).mode & 0o777).toBe(0o600);
  await entered?.leave();
  expect(await readdir(into)).toEqual([]);
});

test('a directory that others may use, or that cannot be used, is passed over', async () => {
  const [open, file, good] = ['open', 'file', 'good'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(open);
  await chmod(open, 0o755);
  await writeFile(file, '');
  const entered = await enterRun([open, file, good], mine(), () => {});
  expect(await readdir(open)).toEqual([]);
  expect(await listEntries([open, file, good])).toHaveLength(1);
  await entered?.leave();
  expect(await enterRun([file], mine(), () => {})).toBeUndefined();
});

test('entries of dead processes are deleted, also those of an earlier boot of this machine', async () => {
  const dead = ownMark().replace(/-\w+$/, '-1');
  await put(runEntry({ mark: dead }));
  await put(runEntry({ id: '20261121-113012-aaaa', mark: 'f-1-1', host: hostname() }));
  // A directory that machines share.
  await put(runEntry({ id: '20261121-113012-bbbb', mark: 'f-1-1', host: 'elsewhere' }));
  await writeFile(join(folder, '20261121-113012-cccc.json'), '{"id":');
  expect(await listEntries([folder, join(folder, 'none')])).toEqual([]);
  const left = (await readdir(folder)).map((name) => name.slice(16, 20));
  expect([...new Set(left)].sort()).toEqual(['bbbb', 'cccc']);
});

test('a process that lives but does not answer is listed without its state', async () => {
  const entered = await enterRun([folder], mine(), (socket) => socket.destroy());
  const [run] = await listRuns([folder]);
  expect(run?.entry.id).toBe(mine().id);
  expect(run?.status).toBeUndefined();
  await entered?.leave();
});

test('a process with the number of one that is gone is another one', async () => {
  await put(mine());
  expect(await listEntries([folder])).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test('of another user only their own files and sockets count, and nothing is deleted', async () => {
  const uid = process.geteuid?.() ?? 0;
  const [theirs, linked] = [join(folder, 'theirs'), join(folder, 'linked')];
  const server = serveRun(fakeServices().services);
  const entered = await enterRun([theirs], mine(), server.serve);
  await writeFile(join(theirs, '20261121-113012-aaaa.json'), formatRunEntry(runEntry()));
  expect(await listRuns([theirs], uid)).toMatchObject([{ entry: mine(), status: { nowMs: 7 } }]);
  expect(await listRuns([theirs], uid + 1)).toEqual([]);
  await mkdir(linked);
  for (const end of ['json', 'sock']) {
    await symlink(join(theirs, `${mine().id}.${end}`), join(linked, `${mine().id}.${end}`));
  }
  expect(await listRuns([linked], uid)).toEqual([]);
  await writeFile(
    join(linked, '20261121-113012-bbbb.json'),
    formatRunEntry(runEntry({ id: '20261121-113012-bbbb', host: hostname() })),
  );
  expect(await listEntries([linked], uid)).toEqual([]);
  expect(await readdir(linked)).toHaveLength(3);
  await entered?.leave();
  expect(await readdir(theirs)).toHaveLength(1);
});

test('a run without a socket is listed while its process lives', async () => {
  const entered = await enterRun([folder], mine());
  expect(await listEntries([folder])).toHaveLength(1);
  await entered?.leave();
});

test('what is no entry is none', () => {
  expect(parseRunEntry(formatRunEntry(mine()))).toEqual(mine());
  for (const wrong of [
    { id: '../x' },
    { pid: 'x' },
    { words: 'a' },
    { mark: 1 },
    { startedMs: null },
  ]) {
    expect(parseRunEntry(JSON.stringify({ ...mine(), ...wrong }))).toBeUndefined();
  }
  expect(parseRunEntry('null')).toBeUndefined();
});

test('runs are in the runtime directory, or else below the state directory; both are searched', () => {
  const env = { XDG_RUNTIME_DIR: '/run/me', HOME: '/home/me' };
  const state = '/home/me/.local/state/syncer/running';
  expect(runFolders(env)).toEqual(['/run/me/syncer/running', state]);
  expect(runFolders({ HOME: '/home/me', XDG_RUNTIME_DIR: 'relative' })[0]).toBe(state);
  expect(runFolders({ HOME: '/home/me' })).toHaveLength(2);
});

test('what killed processes left beside entries is deleted, unless it is new', async () => {
  const dead = ownMark().replace(/-\w+$/, '-1');
  const names = [`20261121-113012-aaaa.json.${dead}-0.new`, '20261121-113012-bbbb.sock'];
  const own = `20261121-113012-cccc.json.${ownMark()}-0.new`;
  for (const name of [...names, own, '20261121-113012-dddd.sock'])
    await writeFile(join(folder, name), '');
  for (const name of names) await utimes(join(folder, name), 1, 1);
  await listEntries([folder]);
  const left = (await readdir(folder)).map((name) => name.slice(16, 20));
  expect(left.sort()).toEqual(['cccc', 'dddd']);
});
