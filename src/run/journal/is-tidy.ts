import { readdirSync } from 'node:fs';
import { hasBegunBefore, isRunId, provenTimeMs } from '../../core/run-id.ts';

/** How many runs are kept. */
export const MOST_RUNS = 200;

/** Runs beyond that before the oldest are deleted: not at the end of each run. */
const MOST_EXTRA = 50;

/** How long runs are kept, in milliseconds. */
export const LONGEST_MS = 90 * 24 * 3_600_000;

/** From this size a journal is compressed, in bytes: 50,000 changes. A smaller one is not worth the time. */
export const LARGE_JOURNAL = 4 * 1024 ** 2;

/**
 * Whether there is nothing for `tidyRuns` to do after a run whose journal has `bytes`: only large journals can be too
 * much together.
 *
 * @param runs the folder of all runs
 */
export function isTidy(runs: string, bytes: number, nowMs: number): boolean {
  if (bytes >= LARGE_JOURNAL) return false;
  try {
    const ids = readdirSync(runs).filter(isRunId).sort();
    const isFull = ids.length > MOST_RUNS + MOST_EXTRA;
    const provenMs = provenTimeMs(ids, nowMs);
    return !isFull && !ids.some((id) => isTooOld(id, provenMs));
  } catch {
    return true;
  }
}

/**
 * Whether a run began so long ago that it is not kept.
 *
 * @param provenMs see `provenTimeMs`
 */
export function isTooOld(id: string, provenMs: number): boolean {
  return hasBegunBefore(id, provenMs - LONGEST_MS);
}
