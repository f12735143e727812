/** A thread that does something for this part of the time has no time left. */
const FULL = 0.9;
/** So long all threads must have been full before there are more of them, in milliseconds. */
const FULL_MS = 200;
/** Where all together do not more than this part of what one could do, one is enough. */
const QUIET = 0.5;
/** So long it must have been quiet before threads are ended. */
const QUIET_MS = 30_000;

/** For how long, in milliseconds, all threads were full, and for how long it was quiet. */
export interface LoadSoFar {
  readonly fullMs: number;
  readonly quietMs: number;
}

/** Before anything was seen. */
export const NO_LOAD: LoadSoFar = { fullMs: 0, quietMs: 0 };

/** How many threads there should be. */
export interface WantedThreads {
  readonly wanted: number;
  readonly load: LoadSoFar;
}

/**
 * Decides how many threads there should be: twice as many when all are full, one when one is enough for long.
 *
 * @param utilizations for each thread the part of the last `ms` milliseconds in which it had something to do
 * @param most threads that there may be
 */
export function wantedThreads(
  before: LoadSoFar,
  utilizations: readonly number[],
  ms: number,
  most: number,
): WantedThreads {
  const now = utilizations.length;
  const fullMs = Math.min(...utilizations) >= FULL ? before.fullMs + ms : 0;
  const sum = utilizations.reduce((a, b) => a + b, 0);
  const quietMs = sum <= QUIET ? before.quietMs + ms : 0;
  if (fullMs >= FULL_MS) return { wanted: Math.min(most, now * 2), load: NO_LOAD };
  if (quietMs >= QUIET_MS) return { wanted: 1, load: NO_LOAD };
  return { wanted: now, load: { fullMs, quietMs } };
}
