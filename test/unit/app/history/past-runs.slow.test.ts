import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noteRun, typedWords } from '../../../../src/app/history/note-run.ts';
import { addPastRun, readPastRuns } from '../../../../src/app/history/past-runs.ts';
import { shownWords } from '../../../../src/app/log/shown-words.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { formatPastRun, type PastRun } from '../../../../src/home/past-run.ts';
import { startProgress } from '../../../../src/progress/progress-state.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'history-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const run = (exit: number, words = ['copy']): PastRun => ({
  endedMs: 5,
  tookMs: 1,
  words,
  dir: '/',
  exit,
  files: 0,
  bytes: 0,
  checks: 0,
  deleted: 0,
  errors: 0,
});

test('the newest run comes first; lines that are no runs are skipped', async () => {
  const file = join(dir, 'a/b/runs.jsonl');
  await addPastRun(file, run(0));
  await appendFile(file, '{"half": \n{"words":1}\n');
  for (const more of [{ endedMs: 1e300 }, { words: [] }]) {
    await appendFile(file, `${JSON.stringify({ ...run(9), ...more })}\n`);
  }
  await addPastRun(file, run(3));
  expect((await readPastRuns(file)).map(({ exit }) => exit)).toEqual([3, 0]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await appendFile(file, '{"endedMs":7,"tookMs":1,"wor');
  await addPastRun(file, run(4));
  expect((await readPastRuns(file))[0]?.exit).toBe(4);
  expect(await readPastRuns(join(dir, 'none'))).toEqual([]);
});

test('the size of the file is limited', async () => {
  const file = join(dir, 'runs.jsonl');
  const long = 'x'.repeat(2000);
  const before = Array.from({ length: 240 }, (_, at) => formatPastRun(run(at, [long])));
  await writeFile(file, before.join(''), { mode: 0o600 });
  for (let at = 240; at < 300; at++) await addPastRun(file, run(at, [long]));
  expect((await stat(file)).size).toBeLessThan(700_000);
  expect((await readPastRuns(file))[0]?.exit).toBe(299);
});

test('no run is lost that ends while another one trims the file', async () => {
  const file = join(dir, 'runs.jsonl');
  const long = 'x'.repeat(1200);
  const letters = (n: number) => String.fromCharCode(97 + (n >> 4), 97 + (n & 15));
  const id = (n: number) => `20261127-220343-22${letters(n)}`;
  const ended = (n: number) => ({ ...run(0, [`w${n}`, long]), id: id(n) });
  for (let round = 0; round < 8; round++) {
    await writeFile(
      file,
      Array.from({ length: 256 }, () => formatPastRun(run(1, [long]))).join(''),
    );
    const numbers = Array.from({ length: 40 }, (_, n) => round * 40 + n);
    const adding = numbers.map(async (n) => {
      for (let turn = 0; turn < n % 40; turn++) await new Promise((done) => setImmediate(done));
      await addPastRun(file, ended(n));
    });
    await Promise.all(adding);
    const found = (await readPastRuns(file)).map(({ words }) => words[0]);
    expect(found.slice(0, 40).sort()).toEqual(numbers.map((n) => `w${n}`).sort());
  }
  expect(await readdir(dir)).toEqual(['runs.jsonl']);
});

test('no secret gets into it, and a home that cannot be written is no error', async () => {
  const words = [
    'copy',
    ':s3,secret_access_key=geheim1:b',
    'to',
    '--s3-secret-access-key',
    'geheim2',
    '--s3-secret-access-key=geheim3',
  ];
  const shown = shownWords(words);
  const error = 'failed';
  const ended = {
    words: shown,
    id: '20261121-113012-7k3f',
    exit: 1,
    state: startProgress(0),
    clock: systemClock,
    changes: undefined,
    memory: { peak: 1234 },
    error,
    isTrial: false,
  };
  await noteRun({ XDG_STATE_HOME: dir }, ended);
  const text = await readFile(join(dir, 'syncer/runs.jsonl'), 'utf8');
  expect(text).not.toContain('geheim');
  expect(JSON.parse(text)).toMatchObject({
    id: '20261121-113012-7k3f',
    exit: 1,
    peakMemory: 1234,
    words: [
      'copy',
      expect.any(String),
      'to',
      '--s3-secret-access-key',
      'REDACTED',
      '--s3-secret-access-key=REDACTED',
    ],
  });
  await noteRun({ XDG_STATE_HOME: '/dev/null/none' }, ended);
});

test.each([
  [
    ['-P', '--apply=/a/plan.json', 'sync', 'x', 'y'],
    ['apply', '/a/plan.json', '-P'],
  ],
  [
    ['--apply=/dev/stdin', 'sync', 'x', 'y'],
    ['--apply=/dev/stdin', 'sync', 'x', 'y'],
  ],
  [
    ['sync', 'x', 'y'],
    ['sync', 'x', 'y'],
  ],
  [
    ['sync', 'x', 'y', '--apply=/a/plan.json', '--max-delete=0'],
    ['apply', '/a/plan.json', '--max-delete=0'],
  ],
])('%j is shown as %j', (words, typed) => {
  expect(typedWords(words)).toEqual(typed);
});

test('a pipe instead of the file is an error, and nothing waits', async () => {
  const file = join(dir, 'runs.jsonl');
  execFileSync('mkfifo', [file]);
  await expect(addPastRun(file, run(0))).rejects.toThrow();
  expect(await readPastRuns(file)).toEqual([]);
});
