import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../../src/state/database.ts';
import { addGoodRun, knownMarker, knownPair, putMarker } from '../../../src/state/guards.ts';
import { STATE } from '../../../src/state/schemas.ts';

/** Connections to one new state, as of several processes. */
async function connections(count: number): Promise<readonly Database[]> {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-test-guards-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const opened: Database[] = [];
  for (let at = 0; at < count; at++) opened.push(await Database.open(dir, STATE, () => {}));
  return opened;
}

// Names that are no UTF-8, and differ in one byte.
const [A, B, C] = ['disk /a\udcff', 'disk /a\udcfe', 'disk /c'] as const;

test('a pair remembers the last three good runs, whichever side was the source', async () => {
  const [state] = (await connections(1)) as [Database];
  expect(knownPair(state, A, B)).toEqual({ runs: 0, isTurned: false, device: undefined });
  addGoodRun(state, A, B, 'one');
  expect(knownPair(state, A, B)).toEqual({ runs: 1, isTurned: false, device: 'one' });
  expect(knownPair(state, B, A)).toEqual({ runs: 1, isTurned: true, device: undefined });
  addGoodRun(state, B, A, 'two');
  expect(knownPair(state, A, B)).toEqual({ runs: 2, isTurned: false, device: 'one' });
  addGoodRun(state, B, A, undefined);
  addGoodRun(state, B, A, undefined);
  expect(knownPair(state, A, B)).toEqual({ runs: 3, isTurned: true, device: 'one' });
  expect(knownPair(state, B, A)).toEqual({ runs: 3, isTurned: false, device: 'two' });
  expect(knownPair(state, A, C).runs).toBe(0);
});

test('runs that end at the same time are all remembered', async () => {
  const states = await connections(3);
  await Promise.all(states.map((state) => state.write(() => addGoodRun(state, A, B, 'one'))));
  expect(states.map((state) => knownPair(state, B, A).runs)).toEqual([3, 3, 3]);
});

test('the first value of a marker stays, until another one is put', async () => {
  const [state] = (await connections(1)) as [Database];
  putMarker(state, A, 'first', true);
  putMarker(state, A, 'second', true);
  expect([A, B].map((place) => knownMarker(state, place))).toEqual(['first', undefined]);
  putMarker(state, A, 'third', false);
  expect(knownMarker(state, A)).toBe('third');
});
