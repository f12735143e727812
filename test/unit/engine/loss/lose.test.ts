import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { FileEntry } from '../../../../src/core/remote.ts';
import { ALL, type Consent, PRETEND } from '../../../../src/engine/consent.ts';
import { Budget } from '../../../../src/engine/loss/budget.ts';
import { type Loss, lose, loseOne } from '../../../../src/engine/loss/lose.ts';
import { startRun } from '../../../../src/engine/run.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { quietContext, remoteWith } from '../../../support/memory-world.ts';

const fileAt = (path: string, kind?: 'old' | 'marker'): FileEntry => {
  const file = { kind: 'file', path, size: 1 } as const;
  return kind === undefined ? file : { ...file, kept: { kind, id: path } };
};

const A = fileAt('a');
const B = fileAt('b');

async function world(budget: Budget | undefined, consent: Consent = ALL) {
  const { context, events, logLines } = quietContext();
  const run = startRun({ context, filter: passAllFilter, budget, consent });
  const remote = await remoteWith({});
  const loss: Loss = { remote, why: 'deleted' };
  /** How many files the statistics say are deleted. */
  const deleted = () =>
    events.reduce((sum, event) => sum + (event.type === 'deleted' ? event.files : 0), 0);
  /** How many more files may go. */
  const left = async () => {
    let files = 0;
    for (let n = 0; n < 9; n++) {
      const held = await run.budget.reserve(remote, [fileAt(`more ${n}`)]);
      for (const file of held.files) held.commit(file);
      files += held.files.length;
    }
    return files;
  };
  return { run, loss, deleted, left, logLines };
}

const gone = async () => undefined;
const fails = (code: 'access-denied' | 'network') => () =>
  Promise.reject(new SyncerError(code, 'no'));

test('a run without a budget loses nothing', async () => {
  const { run, loss, deleted } = await world(undefined);
  let destroyed = 0;
  const how = await loseOne(run, loss, A, async () => destroyed++);
  expect([how, destroyed, deleted(), run.tally.deciding?.exit]).toEqual(['over', 0, 0, 7]);
});

test('a lost file is counted, logged and in the statistics once', async () => {
  const { run, loss, deleted, left, logLines } = await world(new Budget(3));
  expect(await loseOne(run, loss, A, gone)).toBe('gone');
  expect([deleted(), await left(), logLines()]).toEqual([1, 2, ['info: a: Deleted']]);
});

describe('a file stays in the budget', () => {
  test('if what comes before its loss fails', async () => {
    const { run, loss, left } = await world(new Budget(3));
    const first = fails('network');
    await expect(loseOne(run, loss, A, gone, { first })).rejects.toThrow('no');
    expect(await left()).toBe(3);
  });

  test('if something spares it', async () => {
    const { run, loss, left } = await world(new Budget(3));
    const spare = (file: FileEntry) => {
      if (file === A) throw new SyncerError('already-exists', 'it is its own source');
    };
    const { count, failed } = await lose(run, { ...loss, spare }, [A, B], gone);
    expect([count, [...failed.keys()], await left()]).toEqual([1, [A], 2]);
  });

  test('if its store has nothing to lose', async () => {
    const { run, loss, deleted, left } = await world(new Budget(3));
    expect(await loseOne(run, loss, A, async () => 'nothing')).toBe('refused');
    expect([deleted(), await left()]).toEqual([0, 3]);
  });

  test('if it was to go later and is kept', async () => {
    const { run, loss, left } = await world(new Budget(3));
    let keep = () => {};
    const how = await loseOne(run, loss, A, gone, {
      later: async (after) => {
        keep = after.keep;
      },
    });
    keep();
    expect([how, await left()]).toEqual(['later', 3]);
  });

  test('if the act fails for sure', async () => {
    const { run, loss, left } = await world(new Budget(3));
    await expect(loseOne(run, loss, A, fails('access-denied'))).rejects.toThrow('no');
    expect(await left()).toBe(3);
  });
});

test('a file that goes later counts at once, and no other loss waits for it', async () => {
  const { run, loss, deleted, left } = await world(new Budget(3));
  let end = async () => {};
  await loseOne(run, loss, A, gone, {
    later: async (after) => {
      end = after.lose;
    },
  });
  expect(deleted()).toBe(0);
  expect(await left()).toBe(2);
  await end();
  expect(deleted()).toBe(1);
});

test('a file that may be gone although the act failed counts once in two attempts', async () => {
  const budget = new Budget(3);
  const { run, loss, left } = await world(budget);
  await expect(loseOne(run, loss, A, fails('network'))).rejects.toThrow('no');
  const again = await world(budget);
  const same = { ...again.loss, remote: loss.remote };
  expect(await loseOne(again.run, same, A, gone)).toBe('gone');
  expect(await left()).toBe(2);
});

test('a file that the user declines counts, as in rclone, and in a review it does not', async () => {
  const asked = await world(new Budget(3), { how: 'ask', ask: () => false });
  expect(await loseOne(asked.run, asked.loss, A, gone)).toBe('refused');
  expect(await asked.left()).toBe(2);
  const plan = { allows: () => false, hasWaited: false };
  const reviewed = await world(new Budget(3), { how: 'chosen', plan });
  expect(await loseOne(reviewed.run, reviewed.loss, A, gone)).toBe('refused');
  expect(await reviewed.left()).toBe(3);
});

test('--dry-run counts a file in the statistics and logs no deletion', async () => {
  const { run, loss, deleted, logLines } = await world(new Budget(3), PRETEND);
  const { gone: shown, count } = await lose(run, loss, [A], gone);
  expect([shown, count, deleted()]).toEqual([[A], 0, 1]);
  expect(logLines()).toEqual(['notice: a: Skipped delete as --dry-run is set (size 1)']);
});

test('a delete marker is no content: it is logged, and neither counts nor is in the statistics', async () => {
  const { run, loss, deleted, left, logLines } = await world(new Budget(1));
  const files = [fileAt('m', 'marker'), fileAt('v', 'old')];
  const { count } = await lose(run, loss, files, gone);
  expect([count, deleted(), await left()]).toEqual([2, 1, 0]);
  expect(logLines()).toEqual(['info: m: Deleted', 'info: v: Deleted']);
});

test('files beyond the budget stay, and are one error of the run', async () => {
  const { run, loss } = await world(new Budget(1));
  const acts: number[] = [];
  const { count } = await lose(run, loss, [A, B], async (files) => void acts.push(files.length));
  expect([count, acts, run.tally.count]).toEqual([1, [1], 1]);
  expect(run.tally.deciding?.message).toBe('--max-delete threshold reached');
});
