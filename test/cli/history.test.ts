import fs from 'node:fs';
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fnv1a } from '../../src/core/fnv1a.ts';
import { putRun } from '../../src/state/runs.ts';
import { writeTree } from '../support/file-tree.ts';
import { inState } from '../support/open-state.ts';
import { runInProcess } from '../support/run-in-process.ts';

let dir: string;
let state: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'history-'));
  state = join(dir, 'state');
  await writeTree(join(dir, 'a'), { x: 'new', 'd/y': '2' });
  await writeTree(join(dir, 'b'), { x: 'older', extra: '3' });
});
afterEach(() => rm(dir, { recursive: true }));

/** Runs the program; `a` and `b` are the trees of the test. */
const syncer = (...words: string[]) =>
  runInProcess(
    words.map((word) => (/^[ab](\/|$)/.test(word) ? join(dir, word) : word)),
    { HOME: dir, XDG_STATE_HOME: state },
  );

interface Told {
  readonly id: string;
  readonly state: string;
  readonly canUndo: boolean;
  readonly sum?: { readonly gone: number };
  readonly changes: readonly Record<string, unknown>[];
}

async function told(...words: string[]): Promise<Told[]> {
  const { stdout } = await syncer('history', '--json', ...words);
  return String(stdout)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told);
}

/** The runs that have changed a path, each with what it did. */
async function runsOf(path: string): Promise<string[]> {
  const { code, stdout } = await syncer('history', path);
  expect(code).toBe(0);
  return [...String(stdout).matchAll(/^\d.* syncer (\w+)|^ {2}(\S+) +(\S+)/gm)].map(
    ([, verb, deed, name]) => verb ?? `${deed} ${name}`,
  );
}

test.each(['with the index', 'without a cache'])(
  'the runs that changed a path or what is below it, %s',
  async (how) => {
    if (how === 'without a cache') await writeFile(join(dir, '.cache'), 'no directory');
    await syncer('sync', 'a', 'b');
    await writeFile(join(dir, 'a/x'), 'newest');
    await syncer('copy', 'a', 'b', '--trash');
    await syncer('delete', 'b/d');
    for (let time = 0; time < 2; time++) {
      expect(await runsOf('b/x')).toEqual(['copy', 'replace x', 'sync', 'replace x']);
      expect(await runsOf('b/d')).toEqual([
        'delete',
        'delete y',
        'sync',
        'make-dir d/',
        'create d/y',
      ]);
      expect(await runsOf('b/extra')).toEqual(['sync', 'delete extra']);
      expect(await runsOf('b/xy')).toEqual([]);
      expect((await runsOf('/')).filter((deed) => !deed.includes(' '))).toEqual([
        'delete',
        'copy',
        'sync',
      ]);
    }
    const none = await syncer('history', 'b/none');
    expect(none.stderr).toContain('b/none: no run whose changes are kept has changed this path');
    await syncer('purge', 'b');
    expect((await runsOf('b/d/y')).slice(0, 2)).toEqual(['purge', 'delete /']);
    const [last] = await told('b/x');
    expect(last?.changes).toMatchObject([{ do: 'delete', path: '', dir: true }]);
  },
);

test('the runs of a path are found after the cache is deleted, and gone when their changes are', async () => {
  await syncer('sync', 'a', 'b');
  expect(await runsOf('b/x')).toHaveLength(2);
  await rm(join(dir, '.cache'), { recursive: true });
  expect(await runsOf('b/x')).toHaveLength(2);
  await rm(join(state, 'syncer/runs'), { recursive: true });
  expect(await runsOf('b/x')).toEqual([]);
});

test('each change of a run is listed', async () => {
  expect((await syncer('sync', 'a', 'b')).code).toBe(0);
  const [run] = await told();
  expect(run).toMatchObject({ state: 'ended', canUndo: true, sum: { gone: 2 } });
  const { id } = run as Told;
  const [one] = await told(id.slice(-4));
  expect(one?.changes.map(({ do: deed, path }) => `${deed} ${path}`).sort()).toEqual([
    'create d/y',
    'delete extra',
    'make-dir d',
    'replace x',
  ]);
  expect(one?.changes.every(({ done }) => (done as { ok: boolean }).ok)).toBe(true);
  const { stdout } = await syncer('history', id);
  expect(String(stdout)).toContain('delete      extra  (1 B, not kept)\n');
  expect(String(stdout)).toContain('replace     x  (5 B → 3 B, not kept)\n');
  const list = String((await syncer('history')).stdout);
  expect(list).toMatch(
    new RegExp(
      `^${id}  .* ago +done .* can be undone until .*, except for 2 paths  syncer sync .*/a .*/b\n$`,
    ),
  );
});

test('a run that changes nothing, a dry run and --no-history leave no changes', async () => {
  expect((await syncer('sync', 'a', 'b', '-n')).code).toBe(0);
  expect((await syncer('sync', 'a', 'b', '--no-history')).code).toBe(0);
  expect((await syncer('sync', 'a', 'b')).code).toBe(0);
  const runs = await told();
  expect(runs.map(({ canUndo }) => canUndo)).toEqual([false, false]);
  expect(String((await syncer('history')).stdout)).toContain('changed nothing');
});

test.each([
  ['delete', ['b', '--include', 'extra'], ['delete extra']],
  ['deletefile', ['b/extra'], ['delete extra']],
  ['purge', ['b'], ['delete ']],
  ['mkdir', ['b/m/n'], ['make-dir ', 'make-dir m', 'make-dir m/n']],
  ['touch', ['b/t'], ['create t']],
  ['moveto', ['b/x', 'b/z'], ['move z']],
  ['copyto', ['b/x', 'b/z'], ['create z']],
  ['rmdirs', ['b', '--leave-root'], ['remove-dir e']],
])('%s is kept in the history', async (name, args, expected) => {
  await mkdir(join(dir, 'b/e'));
  expect((await syncer(name, ...args)).code).toBe(0);
  const [run] = await told();
  const [one] = await told((run as Told).id);
  const lines = one?.changes.map(({ do: deed, path }) => `${deed} ${path}`);
  if (name === 'mkdir') expect(lines?.length).toBeGreaterThan(0);
  else expect(lines).toEqual(expected);
});

test('a command that changes nothing, and is only noted if it does, makes no state', async () => {
  for (const words of [
    ['touch', '-C', 'a/none'],
    ['rmdirs', '--leave-root', 'a'],
    ['dedupe', 'a'],
  ])
    expect((await syncer(...words)).code, words.join(' ')).toBe(0);
  expect(fs.existsSync(state)).toBe(false);
  await syncer('touch', 'a/made');
  expect(await told()).toHaveLength(1);
});

test('a run of which nothing is kept cannot be undone', async () => {
  expect((await syncer('delete', 'b')).code).toBe(0);
  const [run] = await told();
  expect(run).toMatchObject({ canUndo: false });
  const { stdout } = await syncer('history');
  expect(stdout).toContain('cannot be undone, none of its paths is kept');
});

test('a purge that failed has an unknown result, unless there was nothing', async () => {
  const { unlinkSync } = fs;
  const unlink = vi.spyOn(fs, 'unlinkSync').mockImplementation((path) => {
    if (!String(path).endsWith('extra')) return unlinkSync(path);
    throw Object.assign(new Error('EIO'), { code: 'EIO', errno: -5, syscall: 'unlink', path });
  });
  const purged = await syncer('purge', 'b', '--retries', '1');
  unlink.mockRestore();
  expect(purged.code).toBe(1);
  expect(await readdir(join(dir, 'b'))).toEqual(['extra']);
  expect((await syncer('history')).stdout).toContain('1 with unknown result');
  await syncer('purge', 'b/missing');
  const [last] = String((await syncer('history')).stdout).split('\n');
  expect(last).toContain('nothing was done');
});

test('a state folder that cannot be written is one notice', async () => {
  await mkdir(state);
  await writeFile(join(state, 'syncer'), '');
  const { code, stderr } = await syncer('sync', 'a', 'b');
  expect(code).toBe(0);
  expect(stderr.match(/cannot be undone/g)).toHaveLength(1);
});

test('a killed run is shown as interrupted, and several ends must be told apart', async () => {
  for (const end of ['222', '333']) {
    const id = `20261121-113012-aa${end.slice(1)}`;
    const folder = join(state, 'syncer', 'runs', id);
    await mkdir(folder, { recursive: true });
    const dead = { mark: 'x-1-1', pid: 1, host: 'h', startedMs: Date.now(), dir: '' };
    await inState(state, (database) =>
      putRun(database, { ...dead, id, words: ['copy', 'a', 'b'] }),
    );
    const change = '"n":1,"place":0,"do":"create","path":"q"}';
    await appendFile(join(folder, 'journal.jsonl'), `{"sum":[${fnv1a(change, 1)},1],${change}\n`);
  }
  expect((await told()).map(({ state: now }) => now)).toEqual(['interrupted', 'interrupted']);
  const { stdout } = await syncer('history', 'aa22');
  expect(String(stdout)).toContain('create      q  (result unknown)');
  await rm(join(state, 'syncer', 'runs'), { recursive: true });
  const { code, stderr } = await syncer('history', 'aa22');
  expect(code).toBe(1);
  expect(stderr).toContain('there is no run "aa22"; "syncer history" lists them');
});

test('what is lost of a journal is said, and not undone', async () => {
  expect((await syncer('sync', 'a', 'b', '--trash')).code).toBe(0);
  const [{ id } = { id: '' }] = await told();
  const folder = join(state, 'syncer', 'runs', id);
  const journal = join(folder, 'journal.jsonl');
  const lines = (await readFile(journal, 'utf8')).split('\n');

  await inState(state, (database) => database.run('UPDATE runs SET sum = NULL'));
  expect((await told()).map(({ canUndo }) => canUndo)).toEqual([true]);
  expect(String((await syncer('history', id)).stdout)).toContain('Can be undone until');

  await writeFile(journal, lines.slice(1).join('\n'));
  const shown = String((await syncer('history', id)).stdout);
  expect(shown).toContain('the journal is damaged: 1 place missing');
  const undone = await syncer('undo', id);
  expect([undone.code, undone.stderr]).toEqual([
    22,
    expect.stringContaining('is damaged (1 place missing)'),
  ]);

  await rm(journal);
  expect((await told()).map(({ canUndo }) => canUndo)).toEqual([false]);
});

test('a journal of another run is not taken for its own', async () => {
  await syncer('sync', 'a', 'b', '--trash');
  await writeTree(join(dir, 'a'), { x: 'newest' });
  await syncer('sync', 'a', 'b', '--trash');
  const [{ id = '' } = {}, { id: first = '' } = {}] = await told();
  const runs = join(state, 'syncer', 'runs');
  const path = join(runs, id, 'journal.jsonl');
  await copyFile(join(runs, first, 'journal.jsonl'), path);
  const error = expect.stringContaining(`${path}: it is the journal of the run ${first}`);
  expect(await syncer('history', id)).toMatchObject({ code: 1, stderr: error });
  expect(await syncer('undo', id)).toMatchObject({ code: 1, stderr: error });
  expect(await readFile(join(dir, 'b/x'), 'utf8')).toBe('newest');
});

test('a run can be undone without the database', async () => {
  await syncer('sync', 'a', 'b', '--trash');
  const [{ id = '' } = {}] = await told();
  for (const end of ['', '-wal', '-shm']) {
    await rm(join(state, 'syncer', `state.db${end}`), { force: true });
  }
  expect(await told()).toMatchObject([{ id, canUndo: true, state: 'unknown' }]);
  expect((await syncer('undo', id)).code).toBe(0);
  expect(await readFile(join(dir, 'b/x'), 'utf8')).toBe('older');
});

test('the runs of a path whose names have control characters', async () => {
  await writeTree(join(dir, 'a'), { 'ctl\x01': '1', 'new\nline': '2', 'dir\n/f': '3' });
  await syncer('sync', 'a', 'b');
  for (const path of ['ctl\x01', 'ctl␁', 'new\nline', 'dir\n/f', 'dir\n', 'dir␊/f']) {
    const { stdout } = await syncer('history', join(dir, 'b', path));
    expect([path, stdout]).toEqual([path, expect.stringContaining('  create ')]);
  }
});

test('a run whose journal has ended was not interrupted, although its row has no end', async () => {
  await syncer('sync', 'a', 'b', '--trash');
  await inState(state, (database) =>
    database.run('UPDATE runs SET ended_ms = NULL, result = NULL, sum = NULL'),
  );
  expect(await told()).toMatchObject([{ state: 'unknown', canUndo: true }]);
});

test('a run whose row and journal could not be written is not called interrupted', async () => {
  const id = '20261121-113012-7k3f';
  const folder = join(state, 'syncer', 'runs', id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'journal.jsonl'), '');
  expect(await told()).toMatchObject([{ id, canUndo: false, state: 'unknown' }]);
  const { stdout } = await syncer('history');
  expect(stdout).toMatch(/not recorded .*cannot be undone/);
});

test('undo of a run over a queue says that other machines have a part', async () => {
  expect((await syncer('copy', 'a', 'b', '--trash')).code).toBe(0);
  const [{ id } = { id: '' }] = await told();
  const words = JSON.stringify(['copy', 'a', 'b', '--queue=redis://127.0.0.1']);
  await inState(state, (database) => database.run('UPDATE runs SET words = ?', words));
  const { code, stderr } = await syncer('undo', id);
  expect(code).toBe(22);
  expect(stderr).toContain('what the others did was not undone');
});

test('a journal that cannot be read is named with its path', async () => {
  await syncer('sync', 'a', 'b', '--trash');
  const [{ id = '' } = {}] = await told();
  const runs = join(state, 'syncer', 'runs');
  const path = join(runs, id, 'journal.jsonl');
  await rm(path);
  await mkdir(path);
  const error = expect.stringContaining(
    `cannot read the history of runs in ${path}: is a directory`,
  );
  expect(await syncer('history', id)).toMatchObject({ code: 1, stderr: error });
  expect(await syncer('undo', id)).toMatchObject({ code: 1, stderr: error });
  expect((await syncer('history')).code).toBe(0);
  // The trash itself can be read without it.
  const listed = await syncer('trash', 'ls', 'b');
  expect(listed).toMatchObject({ code: 1, stderr: error });
  expect(listed.stdout).toContain(' extra');
  await rm(runs, { recursive: true });
  await writeFile(runs, '');
  const other = expect.stringContaining(
    `cannot read the history of runs in ${runs}: not a directory`,
  );
  expect(await syncer('history')).toMatchObject({ code: 1, stderr: other });
});

test.each([
  ['purge b', '2 checked, 2 deleted'],
  ['mkdir b/new', '1 change'],
  ['delete b', '2 checked, 2 deleted'],
  ['touch b/x', '1 change'],
])('what %s has changed is counted', async (line, sum) => {
  await syncer(...line.split(' '));
  const { stdout } = await syncer('history');
  expect(String(stdout)).toMatch(new RegExp(` done  +${sum} `));
});

test('a directory that could not be made, as a file was in the way, is known to have failed', async () => {
  await writeTree(join(dir, 'a'), { 'fd/in': 'in' });
  await writeTree(join(dir, 'b'), { fd: 'was' });
  expect((await syncer('sync', 'a', 'b')).code).toBe(0);
  const { stdout } = await syncer('history');
  expect(String(stdout).split('\n')[0]).toContain(' done ');
  expect(stdout).not.toContain('unknown result');
});
