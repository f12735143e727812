import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/context.ts';
import { lastRuns } from '../../../../src/run/history/list-history.ts';
import { noteRun, typedWords } from '../../../../src/run/history/note-run.ts';
import { shownWords } from '../../../../src/shell/log/shown-words.ts';
import { ProgressState } from '../../../../src/shell/progress/progress-state.ts';
import { Stores } from '../../../../src/state/stores.ts';

let dir = '';
let stores: Stores;
let said: string[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'history-'));
  said = [];
  stores = storesIn(join(dir, 'syncer'));
});
afterEach(async () => {
  await stores.close();
  await rm(dir, { recursive: true, force: true });
});

const storesIn = (state: string) =>
  new Stores({ state, cache: undefined }, (text) => said.push(text));

const ended = {
  id: '20261121-113012-7k3f',
  startedMs: 5,
  words: ['copy', 'a', 'b'],
  exit: 1,
  state: new ProgressState(0),
  clock: systemClock,
  changes: undefined,
  memory: { peak: 1234 },
  error: 'failed',
  isTrial: false,
};

test('no secret gets into it, and a home that cannot be written is no error', async () => {
  const words = [
    'copy',
    ':s3,secret_access_key=geheim1:b',
    'to',
    '--s3-secret-access-key',
    'geheim2',
    '--s3-secret-access-key=geheim3',
  ];
  await noteRun(stores, {}, { ...ended, words: shownWords(words) });
  const [run] = await lastRuns(stores);
  expect(run).toMatchObject({
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
  await stores.close();
  expect(await readFile(join(dir, 'syncer/state.db'), 'latin1')).not.toContain('geheim');
  const nowhere = storesIn('/dev/null/none');
  await noteRun(nowhere, {}, ended);
  expect(await lastRuns(nowhere)).toEqual([]);
  expect(said).toEqual([]);
});

test('a run whose end cannot be kept has a notice, and does not wait for long', async () => {
  await stores.state();
  const other = new DatabaseSync(join(dir, 'syncer/state.db'));
  other.exec('BEGIN IMMEDIATE');
  await noteRun(stores, {}, ended);
  other.close();
  await mkdir(join(dir, 'damaged/state.db'), { recursive: true });
  await noteRun(storesIn(join(dir, 'damaged')), {}, ended);
  expect(said).toEqual([
    'the history has not all of this run: another program uses the state of syncer',
    expect.stringMatching(/^the history has not all of this run: not a regular file: .*; move it/),
  ]);
  await noteRun(stores, {}, ended);
  expect(await lastRuns(stores)).toMatchObject([{ id: ended.id }]);
});

test.each([
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
