import type { Clock } from '../../core/context.ts';
import type { ProgressState } from './progress-state.ts';

/**
 * Holds the clock of a run until the function that it gives is called: while a person is asked, or looks at a plan,
 * nothing is done and no speed can be learned.
 */
export function holdClock(state: ProgressState, clock: Pick<Clock, 'monotonic'>): () => void {
  if (state.holds++ === 0) state.heldSinceMs = clock.monotonic();
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    if (--state.holds > 0 || state.heldSinceMs === undefined) return;
    const waitedMs = clock.monotonic() - state.heldSinceMs;
    state.startedMs += waitedMs;
    state.tickMs += waitedMs;
    state.heldSinceMs = undefined;
  };
}

/** How long a run has been going on, in milliseconds, without the time for which its clock was held. */
export function elapsedMs({ startedMs, heldSinceMs }: ProgressState, nowMs: number): number {
  return (heldSinceMs ?? nowMs) - startedMs;
}
