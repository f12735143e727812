import { type Context, linkedAbort } from '../core/context.ts';
import type { SyncerError } from '../core/errors.ts';
import type { LogEvent, LogLevel } from '../core/events.ts';
import type { LogCode, LogFields } from '../core/log-fields.ts';
import type { Attempted, Doing } from '../core/reason.ts';
import type { Op } from '../core/remote.ts';
import { retry, runPolicy } from '../core/retry.ts';
import { isStillListed } from '../core/same-content.ts';
import type { Filter } from '../filter/filter.ts';
import type { Action } from './action.ts';
import { type Choosing, type Consent, consentNow, mayChange, type SeenPath } from './consent.ts';
import { ErrorTally } from './error-tally.ts';
import { fileAt } from './file-at.ts';
import { Budget } from './loss/budget.ts';
import type { Outcomes } from './outcomes.ts';
import { Places } from './place/places.ts';
import type { RunControl } from './run-control.ts';
import type { SharedTransfer } from './run-limits.ts';
import type { SharedPools } from './task-pool.ts';
import type { BucketCheck } from './without-bucket.ts';

/** Where bytes go: to a store over the network, from one, both, or from disk to disk. */
export interface Route {
  readonly up: boolean;
  readonly down: boolean;
}

/** Slows bytes down to a limit. */
export interface Throttle {
  /** Resolves when `bytes` more may pass. */
  take(bytes: number, route: Route, signal: AbortSignal): Promise<void>;
}

/** Slows bytes down to the limit that is set (`--bwlimit`). */
export interface Bandwidth extends Throttle {
  /** Whether there is a limit now: what cannot be slowed down is then not left to others. */
  isLimited(): boolean;
  /** The same for one file with a limit of its own (`--bwlimit-file`); absent if files have none. */
  readonly ofFile?: (() => Throttle) | undefined;
}

/** What an attempt is made with; the same for every attempt of a run. */
export interface RunSetup {
  readonly context: Context;
  readonly filter: Filter;
  readonly bandwidth?: Bandwidth | undefined;
  /** `--max-transfer` of several processes; absent: this one counts by itself. */
  readonly sharedTransfer?: SharedTransfer;
  /** Whether its changes are made (`--dry-run`, `--interactive`, `--review`), as the run begins: see `consentNow`. */
  readonly consent: Consent;
  /** How much it may lose, in all attempts; absent: nothing that counts. */
  readonly budget?: Budget | undefined;
  /** Decides whether buckets may be emptied or deleted; absent: they may. */
  readonly checkBuckets?: BucketCheck | undefined;
  /** What a person does to it while it goes on. */
  readonly control?: RunControl | undefined;
  /** Files have the time at which their store wrote them (`--use-server-modtime`). */
  readonly useServerModTime?: boolean;
  /** Pools that several attempts at the same time share; absent: this attempt is alone. */
  readonly pools?: SharedPools | undefined;
  /** The number of the last transfer, which several attempts at the same time share; absent: this attempt is alone. */
  readonly ids?: { last: number };
  /** Receives what becomes of each file, if that is reported (`--combined`, `--dest-after`). */
  readonly outcomes?: Outcomes | undefined;
  /**
   * Files of the source that were skipped because the destination cannot distinguish them from another one, in all
   * attempts: a later attempt of a move does not find that one at the source any more.
   */
  readonly clashes?: Map<string, SyncerError>;
}

/** One attempt at a copy, sync, move or check. */
export interface Run extends RunSetup {
  /** Its signal is aborted by the context's, and by the first error that stops the run. */
  readonly op: Op;
  readonly tally: ErrorTally;
  readonly transferred: { files: number };
  readonly places: Places;
  readonly budget: Budget;
  /** The number of the last transfer; the next one adds 1. */
  readonly ids: { last: number };
  /** Debug lines are wanted; where they are not, they need not be built. */
  readonly verbose: boolean;
  log<Code extends LogCode>(
    level: LogLevel,
    path: string,
    code: Code,
    ...fields: Record<never, never> extends LogFields[Code]
      ? [fields?: LogFields[Code]]
      : [fields: LogFields[Code]]
  ): void;
  /**
   * Asked before every change. Logs one that is not made; rejects if the user cannot be asked.
   *
   * @param seen what the action is about: looked at once more if it waited for a review
   */
  mayChange(action: Action, seen?: readonly SeenPath[]): Promise<boolean>;
  /** Counts and logs an error, unless the attempt is being cancelled anyway. */
  fail(thrown: unknown, path: string | undefined, doing?: Doing | Attempted): void;
  /** Ends the attempt: what runs is cancelled with `error` as reason. */
  stop(error: SyncerError): void;
  /** Whether a person wants nothing new to begin; the attempt then ends with that as its error. */
  isStopping(): boolean;
}

export interface Attempt {
  /** The error that decides the exit code; `undefined` where all went well. */
  readonly error: SyncerError | undefined;
  readonly errors: number;
  /** Another attempt may go better. */
  readonly worthRetrying: boolean;
  /** Files transferred. */
  readonly transferred: number;
}

/**
 * Makes attempts until one goes well, another would not help, or `retries` were made. Rejects with the error
 * that decides the exit code. Resolves to the number of files transferred by all attempts.
 */
export async function retryRun(
  context: Context,
  {
    retries,
    sleepMs,
    stopping,
  }: {
    /** Attempts in all (`--retries`). */
    readonly retries: number;
    /** Pause between attempts, in milliseconds (`--retries-sleep`), which `stopping` ends with its reason. */
    readonly sleepMs: number;
    readonly stopping?: AbortSignal | undefined;
  },
  attempt: () => Promise<Attempt>,
): Promise<number> {
  const over = stopping === undefined ? context : linkedAbort(context.signal, stopping);
  let transferred = 0;
  let mayHelp = false;
  const attemptOne = async (n: number) => {
    mayHelp = false;
    const { error, errors, worthRetrying, transferred: files } = await attempt();
    transferred += files;
    if (error === undefined) return;
    context.signal.throwIfAborted();
    mayHelp = worthRetrying;
    const fields = { attempt: n, of: retries, errors, why: error };
    if (mayHelp) context.emit({ type: 'log', level: 'error', code: 'attempt-failed', fields });
    throw error;
  };
  await retry(attemptOne, {
    tries: retries,
    what: 'the run',
    signal: context.signal,
    context,
    policy: { ...runPolicy, waitMs: () => sleepMs },
    giveUp: () => !mayHelp,
    onWait: () => context.emit({ type: 'retry-run' }),
    waitSignal: over.signal,
  });
  return transferred;
}

/** Begins an attempt. */
export function startRun(setup: RunSetup): Run {
  const { context } = setup;
  const controller = linkedAbort(context.signal);
  const { signal } = controller;
  const stop = (error: SyncerError) => controller.abort(error);
  let toldStopping = false;
  const tally = new ErrorTally(context.emit, stop);
  const log: Run['log'] = (level, path, code, ...[fields]) =>
    context.emit({ type: 'log', level, path, code, fields } as LogEvent);
  const op = { signal };
  const run = {
    ...setup,
    op,
    tally,
    transferred: { files: 0 },
    budget: setup.budget ?? new Budget(0),
    ids: setup.ids ?? { last: 0 },
    places: new Places({ context, op, log }),
    verbose: context.verbose ?? true,
    fail: (thrown, path, doing) => {
      if (signal.aborted) return;
      if (path !== undefined) setup.outcomes?.failed(path, doing);
      tally.add(thrown, path, doing);
    },
    log,
    stop,
    isStopping() {
      const stopping = setup.control?.stopping;
      if (stopping?.aborted !== true) return false;
      if (!toldStopping) tally.addLast(stopping.reason as SyncerError);
      toldStopping = true;
      return true;
    },
  } satisfies Omit<Run, 'mayChange'>;
  return withConsent(run, consentNow(setup.consent));
}

/** A run that asks this consent; what it counts is the same. */
function withConsent(run: Omit<Run, 'consent' | 'mayChange'>, consent: Consent): Run {
  const asking = { context: run.context, consent };
  /** Whether all that an action is about still is as it was seen. */
  const isAsSeen = async (plan: Choosing, action: Action, seen: readonly SeenPath[]) => {
    for (const { remote, path, listed } of seen) {
      const now = await fileAt(run, remote, path);
      const isHidden = listed === undefined && now !== undefined && !run.filter.keepFile(now);
      if (isHidden || isStillListed(listed, now)) continue;
      plan.leave?.(action);
      return false;
    }
    return true;
  };
  return {
    ...run,
    consent,
    mayChange(action, seen = []) {
      const may = mayChange(asking, action);
      if (consent.how !== 'chosen' || !consent.plan.hasWaited) return may;
      return may.then((is) => is && isAsSeen(consent.plan, action, seen));
    },
  };
}

/**
 * Makes the changes that an attempt has found. In a review `change` is called twice, and nothing is walked in between.
 * First with a run whose consent is `collect`: it goes all the way, every action is recorded where it would be made, and
 * none is made. The plan is shown. Then with a run whose consent is `chosen`, as `--apply` runs a saved plan: it makes
 * what was chosen, if what it is about still is as it was shown. Errors of the first time are forgotten then, as they come
 * up again. Why a plan alone is not enough for the second time is in docs/decisions/0014-review.md.
 */
export async function inReview(run: Run, change: (run: Run) => Promise<void>): Promise<void> {
  const { consent, tally, op } = run;
  if (consent.how !== 'collect') return change(run);
  const { plan } = consent;
  plan.listed?.();
  const forget = tally.mark();
  await change(run);
  if (op.signal.aborted || tally.deciding?.stop === true) return;
  const next = (await plan.choose?.(tally.worthRetrying)) ?? 'again';
  if (next === 'end') tally.endRetries();
  if (typeof next === 'string') return;
  forget();
  await change(withConsent(run, { how: 'chosen', plan: next }));
}
