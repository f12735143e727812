import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import type { Clock } from '../../core/context.ts';
import type { MemoryUse } from '../../shell/process/memory-limit.ts';
import { elapsedMs, type ProgressState } from '../../shell/progress/progress-state.ts';
import { dropRun, endRun, type PastRun, type RunEntry, type RunSum } from '../../state/runs.ts';
import type { Stores } from '../../state/stores.ts';
import { ownMark } from '../../system/owner-state.ts';
import type { ChangeCounts } from '../journal/journal-file.ts';

/** A run of this process. */
export interface KnownWords {
  readonly id: string;
  /** When it began, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** Those of the command line, without secrets. */
  readonly words: readonly string[];
}

/** What a journal says, in numbers. */
export interface JournalEnd {
  readonly counts: ChangeCounts;
  readonly sum: RunSum;
}

/** A run of this process, while it goes on. */
export function entryOf({ id, startedMs, words }: KnownWords): RunEntry {
  const owner = { mark: ownMark(), pid: process.pid, host: hostname() };
  return { ...owner, id, startedMs, words, dir: workingDir() };
}

/** Completes a run in the history. Never rejects: a failure (no home, a full disk) does not affect the run. */
export async function noteRun(
  stores: Stores,
  env: NodeJS.ProcessEnv,
  run: KnownWords & {
    readonly exit: number;
    readonly state: ProgressState;
    readonly clock: Clock;
    readonly memory: MemoryUse;
    /** Of its journal; `undefined` if nothing was changed. */
    readonly changes: JournalEnd | undefined;
    /** The last error, without secrets. */
    readonly error: string | undefined;
    /** See `PastRun`. */
    readonly isTrial: boolean;
  },
): Promise<void> {
  const { id, words, exit, state, clock, memory, changes, error, isTrial } = run;
  const { made = 0, open = 0 } = changes?.counts ?? {};
  const past: PastRun = {
    endedMs: clock.now(),
    id,
    tookMs: Math.round(elapsedMs(state, clock.monotonic())),
    words: typedWords(words),
    dir: workingDir(),
    exit,
    files: state.transfers,
    bytes: state.bytes,
    checks: state.checks,
    deleted: state.deletedFiles - state.movedFiles,
    errors: state.errors,
    peakMemory: memory.peak,
    ...(state.resumedBytes > 0 ? { resumedBytes: state.resumedBytes } : {}),
    ...(state.serverCopyBytes > 0 ? { copiedByServer: state.serverCopyBytes } : {}),
    ...(state.throttledMs > 0 ? { throttledMs: Math.round(state.throttledMs) } : {}),
    ...(made > 0 ? { changes: made } : {}),
    ...(open > 0 ? { unknown: open } : {}),
    ...(error === undefined ? {} : { error }),
    ...(isTrial ? { isTrial } : {}),
  };
  const about = { startedMs: run.startedMs, ...(changes && { sum: changes.sum }) };
  const folder = join(stateDir(env) ?? '', 'runs');
  /** Its journal is there. */
  const isKept = (id: string) => existsSync(join(folder, id));
  await stores.tryState('the history has not all of this run', (database) =>
    endRun(database, past, about, isKept),
  );
}

/** Takes a run that is not kept in the history off the list of running runs. Never rejects. */
export async function forgetRun(stores: Stores, id: string): Promise<void> {
  await stores.tryState('this run stays in "syncer ps" for now', (state) => dropRun(state, id));
}

/** `syncer apply FILE` for the command that it runs; a plan from a pipe cannot be read again. */
export function typedWords(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => word.startsWith('--apply=/'));
  const file = words[at]?.slice('--apply='.length) ?? '';
  const flags = words.slice(at + 1);
  const isOfPlan = at >= 0 && file !== '/dev/stdin' && flags.every((word) => word.startsWith('-'));
  return isOfPlan ? ['apply', file, ...flags] : words;
}

/** The working directory; `''` if it was deleted. */
export function workingDir(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}
