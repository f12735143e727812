import { abortable, linkedAbort } from '../../core/abort.ts';
import type { Context } from '../../core/context.ts';
import { afterMs } from '../../core/timer-ms.ts';
import { createRunControl, type RunControl, stoppedBy } from '../../engine/run-control.ts';
import { tooLong } from '../../engine/run-limits.ts';
import type { Invocation } from '../../shell/command-line/command.ts';
import { maxDurationMs } from './sync-options.ts';

/** `--max-duration` of a run: at its end every wait ends with `max-duration`. */
export interface TimeLimit {
  /** With `hard` its signal ends the run; with the other modes running transfers are finished. */
  readonly context: Context;
  /** With the other modes it stops the run. */
  readonly control: RunControl | undefined;
  /** Waits for what comes before the run: opening paths, other runs. */
  until<T>(work: Promise<T>): Promise<T>;
  /** The run is over: forget the limit. */
  end(): void;
}

/** Starts the time of a run; in a review that is as its changes begin. */
export function startTimeLimit({ context, control, flags, approval }: Invocation): TimeLimit {
  const ms = maxDurationMs(flags);
  if (ms === undefined) return { context, control, until: (work) => work, end: () => {} };
  const deadline = new AbortController();
  const { signal } = deadline;
  const abort = () => deadline.abort(tooLong());
  let end = approval?.made === undefined ? afterMs(ms, abort) : () => {};
  let isOver = false;
  void approval?.made?.then(() => {
    if (!isOver) end = afterMs(ms, abort);
  });
  const limit = {
    until: <T>(work: Promise<T>) => abortable(work, signal),
    end() {
      isOver = true;
      end();
    },
  };
  if (flags['cutoff-mode'] !== 'hard') {
    return { ...limit, context, control: stoppedBy(control ?? createRunControl(() => {}), signal) };
  }
  const ofRun = linkedAbort(context.signal, signal).signal;
  return { ...limit, context: { ...context, signal: ofRun }, control };
}
