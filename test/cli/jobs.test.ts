import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTree, writeTree } from '../support/file-tree.ts';
import { runInProcess } from '../support/run-in-process.ts';

let dir: string;
let from: string;
let to: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'jobs-'));
  [from, to] = [join(dir, 'from'), join(dir, 'to')];
  await writeTree(from, { a: '1', 'b.tmp': '2' });
});
afterEach(() => rm(dir, { recursive: true }));

const syncer = (...words: string[]) => runInProcess(words, { HOME: dir });
const file = () => join(dir, '.config', 'syncer', 'jobs.json');

test('a job is saved with absolute paths, run, compared, listed and deleted', async () => {
  const words = ['sync', relative(process.cwd(), from), to, '--exclude', '*.tmp'];
  expect(await syncer('job', 'docs', '--', ...words)).toMatchObject({ code: 0 });
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
    docs: { command: ['sync', from, to, '--exclude', '*.tmp'] },
  });
  expect((await syncer('job')).stdout).toBe(
    `docs  never run  syncer sync ${from} ${to} --exclude '*.tmp'\n`,
  );
  expect((await syncer('run', 'docs', '--check')).code).toBe(1);
  expect(await syncer('run', 'docs', '--review')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('To do: 1 copy'),
  });
  expect(await syncer('run', 'docs', '-n')).toMatchObject({ code: 0 });
  expect(await readTree(to)).toBeUndefined();
  expect((await syncer('job')).stdout).toContain('docs  never run');
  expect((await syncer('run', 'docs')).code).toBe(0);
  expect(Object.keys((await readTree(to)) ?? {})).toEqual(['a']);
  expect((await syncer('run', 'docs', '--check')).code).toBe(0);
  expect((await syncer('job', 'docs')).stdout).toMatch(
    /^syncer sync .*\n0 s ago: done, 1 transferred/,
  );
  const units = ['job', 'docs', '--print-unit'];
  const config = relative(process.cwd(), join(dir, '.config', 'syncer', 'syncer.conf'));
  const { stdout } = await syncer(...units, '--config', config);
  expect(stdout).toContain('OnCalendar=daily');
  // Node cannot start under it.
  expect(stdout).not.toContain('MemoryDenyWriteExecute');
  expect(stdout).toContain(` run docs --config=${join(dir, '.config', 'syncer', 'syncer.conf')}\n`);
  const twoLines = await syncer(...units, '--schedule', 'daily\nUnit=other.service');
  expect(twoLines).toMatchObject({ code: 1, stdout: '' });
  const unsaved = await syncer('job', '-n', 'other', '--', 'check', from, to);
  expect(unsaved).toMatchObject({ code: 0, stdout: '' });
  expect(unsaved.stderr).toContain('other: Skipped save the job as --dry-run is set');
  expect((await syncer('job')).stdout).not.toContain('other');
  const trial = await syncer('job', 'docs', '--delete', '-n');
  expect(trial).toMatchObject({ code: 0, stdout: '' });
  expect(trial.stderr).toContain('docs: Skipped delete the job as --dry-run is set');
  expect((await syncer('job')).stdout).toContain('docs  ');
  expect((await syncer('job', 'docs', '--delete')).code).toBe(0);
  expect((await syncer('job')).stdout).toBe('');
});

test.each([
  [['--max-delete', '5'], ['--max-delete', '0'], 7],
  [['--dry-run=false'], ['--dry-run'], 0],
  [['-n=false', '--exclude=x'], ['-n', '--exclude=y'], 0],
  [['--max-delete=5', '--'], ['--max-delete=0'], 7],
  [['--max-delete=5'], ['--profile', 'night'], 7],
  [['--max-delete=5', '--'], ['--profile=night', '--max-delete=-1', '--exclude=gone'], 0],
  [['--allow-deletes', '1'], ['--guard', 'count=0'], 21],
  [['--guard=off', '--allow-deletes=1'], ['--guard=count=0'], 21],
])('flags of the user win over those of a job: %j, %j', async (ofJob, typed, code) => {
  await writeTree(to, { gone: 'g' });
  const command = ['sync', from, to, ...ofJob];
  await writeTree(dir, {
    '.config/syncer/jobs.json': JSON.stringify({ j: { command } }),
    '.config/syncer/defaults.conf': '[profile night]\nmax-delete = 0\n',
  });
  const run = await syncer('run', 'j', ...typed);
  expect(run.code, run.stderr).toBe(code);
  expect(await readTree(to)).toMatchObject({ gone: expect.anything() });
});

test('a flag without its value at the end of a job does not swallow a flag of the user', async () => {
  const command = ['sync', from, to, '--exclude'];
  await writeTree(dir, { '.config/syncer/jobs.json': JSON.stringify({ j: { command } }) });
  const run = await syncer('run', 'j', '--dry-run');
  expect(run).toMatchObject({ code: 1 });
  expect(run.stderr).toContain('the job "j": flag needs an argument: --exclude');
  expect(await readTree(to)).toBeUndefined();
});

test('the command of a job comes first, whatever was in front of it', async () => {
  expect((await syncer('job', 'j', '--', '--exclude', 'copy', 'copy', from, to)).code).toBe(0);
  expect((await syncer('job', 'j')).stdout).toBe(`syncer copy --exclude copy ${from} ${to}\n`);
  expect((await syncer('run', 'j', '--check')).stderr).not.toContain('unknown flag');
});

test.each([
  ['no command line', ['job', 'j', '--', 'sink', 'a', 'b'], 'unknown command'],
  ['too few paths', ['job', 'j', '--', 'sync', 'a'], 'takes 2 arguments'],
  ['an unknown flag', ['job', 'j', '--', 'sync', 'a', 'b', '--nosuch'], 'unknown flag: --nosuch'],
  ['another command', ['job', 'j', '--', 'ls', 'a'], 'a job runs one of'],
  ['a job of a job', ['job', 'j', '--', 'run', 'k'], 'a job runs one of'],
  ['a name', ['job', 'a/b', '--', 'sync', 'a', 'b'], 'the name of a job'],
  ['a secret', ['job', 'j', '--', 'sync', 'a', ':s3,secret_access_key=abcdefgh:b'], 'secret'],
  ['no job', ['run', 'j'], 'there is no job "j"; '],
])('refused and nothing written: %s', async (_, words, text) => {
  const run = await syncer(...words);
  expect(run.code).toBe(text.startsWith('unknown') ? 2 : 1);
  expect(run.stderr).toContain(text);
  await expect(stat(file())).rejects.toThrow('ENOENT');
});

test('a job is replaced only with --replace; a damaged file is kept', async () => {
  const save = (...more: string[]) => syncer('job', 'j', ...more, '--', 'copy', from, to);
  expect((await save()).code).toBe(0);
  expect((await save()).stderr).toContain('there is a job "j" already');
  expect((await save('--replace')).code).toBe(0);
  await writeFile(file(), '{"j":');
  for (const words of [['job'], ['run', 'j'], ['job', 'k', '--', 'copy', from, to]]) {
    const run = await syncer(...words);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('jobs.json is not JSON');
  }
  expect(await readFile(file(), 'utf8')).toBe('{"j":');
});

test('a secret in a file that was edited by hand is not shown', async () => {
  const command = ['copy', from, to, '--s3-secret-access-key', 'hidden'];
  await writeTree(dir, { '.config/syncer/jobs.json': JSON.stringify({ docs: { command } }) });
  for (const words of [['job'], ['job', 'docs']])
    expect((await syncer(...words)).stdout).toMatch(/--s3-secret-access-key (?!hidden)\S+\n/);
});
