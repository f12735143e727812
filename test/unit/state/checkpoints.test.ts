import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endCheckpoint, saveCheckpoint, takeCheckpoint } from '../../../src/state/checkpoints.ts';
import { Database } from '../../../src/state/database.ts';
import { STATE } from '../../../src/state/schemas.ts';
import { ownMark } from '../../../src/system/owner-state.ts';

async function openState(): Promise<Database> {
  const dir = await mkdtemp(join(tmpdir(), 'syncer-test-checkpoints-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return Database.open(dir, STATE, () => {});
}

const [place = '', pid = '', start = ''] = ownMark().split('-');
const ELSEWHERE = '00000000-1-1';
const DEAD = `${place}-${pid}-1${start}`;
const SAVED = { begunMs: 5, ledger: '{"phase":"copying"}' };
const LATER = { begunMs: 5, ledger: '{"phase":"deleting"}' };

test('what one run has saved, the next one takes', async () => {
  const state = await openState();
  expect(takeCheckpoint(state, 'key', DEAD)).toEqual({ isOurs: true });
  expect(saveCheckpoint(state, 'key', DEAD, SAVED)).toBe(true);
  expect(saveCheckpoint(state, 'key', DEAD, LATER)).toBe(true);
  expect(takeCheckpoint(state, 'key', ownMark())).toEqual({ isOurs: true, found: LATER });
  expect(takeCheckpoint(state, 'other', ownMark())).toEqual({ isOurs: true });
});

test('a run that goes on keeps it', async () => {
  const state = await openState();
  saveCheckpoint(state, 'key', ownMark(), SAVED);
  expect(takeCheckpoint(state, 'key', DEAD)).toEqual({ isOurs: false });
  endCheckpoint(state, 'key', DEAD);
  expect(takeCheckpoint(state, 'key', ownMark())).toEqual({ isOurs: true, found: SAVED });
});

test.each([ELSEWHERE, DEAD])('who lost it, and still runs, changes nothing: %s', async (mark) => {
  const state = await openState();
  saveCheckpoint(state, 'key', mark, SAVED);
  expect(takeCheckpoint(state, 'key', ownMark())).toEqual({ isOurs: true, found: SAVED });
  expect(saveCheckpoint(state, 'key', mark, LATER)).toBe(false);
  endCheckpoint(state, 'key', mark);
  expect(takeCheckpoint(state, 'key', ownMark())).toEqual({ isOurs: true, found: SAVED });
  endCheckpoint(state, 'key', ownMark());
  expect(takeCheckpoint(state, 'key', ownMark())).toEqual({ isOurs: true });
});

test('of two first runs only one records', async () => {
  const state = await openState();
  for (const mark of [ownMark(), ELSEWHERE]) takeCheckpoint(state, 'key', mark);
  expect(saveCheckpoint(state, 'key', ownMark(), SAVED)).toBe(true);
  expect(saveCheckpoint(state, 'key', ELSEWHERE, LATER)).toBe(false);
});

test.each([`ledger = replace(ledger, 'copying', 'deleting')`, `key = 'key', sum = sum + 1`])(
  'a damaged one is not used, and replaced: %s',
  async (change) => {
    const state = await openState();
    saveCheckpoint(state, 'key', DEAD, SAVED);
    state.run(`UPDATE checkpoints SET ${change}`);
    expect(takeCheckpoint(state, 'key', ownMark())).toEqual({ isOurs: true });
    expect(saveCheckpoint(state, 'key', ownMark(), LATER)).toBe(true);
    expect(takeCheckpoint(state, 'key', ownMark())).toEqual({ isOurs: true, found: LATER });
  },
);
