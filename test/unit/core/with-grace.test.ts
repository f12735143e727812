import { expect, it } from 'vitest';
import { withGrace } from '../../../src/core/context.ts';

const reason = new Error('broken off');

/** Resolves when the signal is aborted, with its reason. */
const untilAborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

it('lets what has begun come to its end where the run is broken off', async () => {
  const run = new AbortController();
  const result = await withGrace(run.signal, 60_000, async (signal) => {
    run.abort(reason);
    await Promise.resolve();
    return signal.aborted;
  });
  expect(result).toBe(false);
});

it('ends it with the reason of the run when the time is over', async () => {
  const run = new AbortController();
  const work = withGrace(run.signal, 1, untilAborted);
  run.abort(reason);
  expect(await work).toBe(reason);
});

it('gives the time also to what begins after the run was broken off', async () => {
  expect(await withGrace(AbortSignal.abort(reason), 1, untilAborted)).toBe(reason);
});
