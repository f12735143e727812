import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/state/database.ts';
import {
  dropRun,
  endRun,
  goesOn,
  knownRuns,
  listedRuns,
  pastRuns,
  putRun,
} from '../../../src/state/runs.ts';
import { ownMark } from '../../../src/system/owner-state.ts';
import { inState } from '../../support/open-state.ts';
import { runEntry } from '../run/presence/run-world.ts';

const RESULT = { tookMs: 1, exit: 0, files: 1, bytes: 2, checks: 3, deleted: 4, errors: 5 };
const ID = '20261121-113012-7k3f';

async function withRuns<T>(work: (database: Database) => T): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'syncer-test-runs-'));
  onTestFinished(() => rm(home, { recursive: true }));
  return inState(home, work);
}

const idOf = (n: number) => {
  const letters = [n >> 9, (n >> 6) & 7, (n >> 3) & 7, n & 7].map((digit) => 'abcdefgh'[digit]);
  return `20261121-113012-${letters.join('')}`;
};

const end = (database: Database, id: string, isKept = () => false) =>
  endRun(
    database,
    { ...RESULT, id, words: ['copy'], dir: '/\udcff', endedMs: 9 },
    { startedMs: 7, sum: { changes: { create: 1 }, gone: 0 } },
    isKept,
  );

test('what a run is, changes and did is one row', () =>
  withRuns((database) => {
    const entry = runEntry({ mark: ownMark(), dir: '/\udcff' });
    const places = [{ ancestors: [{ id: 'disk 8:1:/a', rest: '' }] }];
    putRun(database, entry);
    expect(listedRuns(database)).toEqual([]);
    putRun(database, { ...entry, isListed: true, socket: '/run/\udcfe.sock' });
    putRun(database, { ...entry, places, isLocked: true });
    // The journal begins when the run is listed already.
    putRun(database, entry);
    expect(listedRuns(database)).toEqual([
      { ...entry, isListed: true, socket: '/run/\udcfe.sock', places, isLocked: true },
    ]);
    expect(goesOn(database, ID)).toBe(true);
    expect(pastRuns(database, 9)).toEqual([]);
    end(database, ID);
    putRun(database, { ...entry, isListed: true });
    dropRun(database, ID);
    expect(listedRuns(database)).toEqual([]);
    expect(goesOn(database, ID)).toBe(false);
    const past = { ...RESULT, id: ID, words: ['copy'], dir: '/\udcff', endedMs: 9 };
    expect(pastRuns(database, 9)).toEqual([past]);
    const { words, dir } = past;
    const sum = { changes: { create: 1 }, gone: 0 };
    expect(knownRuns(database)).toEqual([{ id: ID, words, dir, startedMs: 7, past, sum }]);
  }));

test('a damaged row hides no other run', () =>
  withRuns((database) => {
    end(database, ID);
    end(database, idOf(1));
    for (const column of ['words', 'result', 'sum']) {
      database.run(`UPDATE runs SET ${column} = '{' WHERE id = ?`, ID);
      expect(knownRuns(database).map(({ id }) => id)).toEqual([idOf(1)]);
      database.run('UPDATE runs SET words = ?, result = ?, sum = NULL', '[]', '{}');
    }
    database.run("UPDATE runs SET words = '{' WHERE id = ?", ID);
    expect(pastRuns(database, 9).map(({ id }) => id)).toEqual([idOf(1)]);
  }));

test('a run that was not kept leaves nothing, and one with a journal its words', () =>
  withRuns((database) => {
    const listed = { ...runEntry(), isListed: true, socket: '/s' } as const;
    putRun(database, listed);
    dropRun(database, ID, true);
    expect(listedRuns(database)).toEqual([]);
    expect(knownRuns(database)).toMatchObject([{ id: ID, words: ['copy', 'a', 'b'] }]);
    dropRun(database, ID);
    expect(knownRuns(database)).toEqual([]);
  }));

test('a thousand runs are kept, and older ones that go on or have a journal', () =>
  withRuns((database) => {
    putRun(database, runEntry({ id: '20261121-113012-2222', mark: ownMark() }));
    putRun(database, runEntry({ id: '20261121-113012-3333', mark: 'x-1-1' }));
    database.writeNow(() => {
      for (let n = 0; n < 1049; n++) end(database, idOf(n), () => true);
    });
    expect(knownRuns(database)).toHaveLength(1051);
    end(database, idOf(1049), (id?: string) => id === idOf(0));
    const left = knownRuns(database).map(({ id }) => id);
    expect(left.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, n) => idOf(1049 - n)));
    expect(left.slice(1000)).toEqual([idOf(0), '20261121-113012-2222']);
  }));

test('of runs that end at the same time none is lost, also when some are killed', async () => {
  const home = await mkdtemp(join(tmpdir(), 'syncer-test-runs-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const program = join(import.meta.dirname, '../../support/end-runs.ts');
  const said: string[] = [];
  const ends = Array.from({ length: 6 }, async (_, at) => {
    const isKilled = at % 2 === 1;
    const count = isKilled ? '200' : '100';
    const child = spawn(process.execPath, [program, home, String(at), count], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      // In the middle of what comes next.
      if (isKilled && text.split('\n').length > 20 * at) child.kill('SIGKILL');
    });
    const [code, signal] = await once(child, 'close');
    expect([code, signal]).toEqual(isKilled ? [null, 'SIGKILL'] : [0, null]);
    said.push(...text.split('\n').slice(0, -1));
  });
  await Promise.all(ends);
  const [kept, fault] = await inState(home, (database) => [
    new Set(knownRuns(database).map(({ id }) => id)),
    database.fault(),
  ]);
  expect(fault).toBeUndefined();
  expect(said.length).toBeGreaterThan(300);
  expect(said.filter((id) => !kept?.has(id))).toEqual([]);
});
