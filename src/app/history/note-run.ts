import { join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import type { Clock } from '../../core/context.ts';
import type { PastRun } from '../../home/past-run.ts';
import type { ChangeCounts } from '../../journal/journal-file.ts';
import { elapsedMs } from '../../progress/hold-clock.ts';
import type { ProgressState } from '../../progress/progress-state.ts';
import type { MemoryUse } from '../process/memory-use.ts';
import { addPastRun } from './past-runs.ts';

/** The data of a finished run. */
interface EndedRun {
  readonly id: string;
  /** Those of the command line, without secrets. */
  readonly words: readonly string[];
  readonly exit: number;
  readonly state: ProgressState;
  readonly clock: Clock;
  readonly memory: MemoryUse;
  /** Of its journal; `undefined` if nothing was changed. */
  readonly changes: ChangeCounts | undefined;
  /** The last error, without secrets. */
  readonly error: string | undefined;
  /** See `PastRun`. */
  readonly isTrial: boolean;
}

/** Where the history of runs is; `undefined` for a user without a home. */
export function historyPath(env: NodeJS.ProcessEnv): string | undefined {
  const folder = stateDir(env);
  return folder && join(folder, 'runs.jsonl');
}

/** Adds a run to the history. Never rejects: a failure (no home, a full disk) does not affect the run. */
export async function noteRun(env: NodeJS.ProcessEnv, run: EndedRun): Promise<void> {
  const file = historyPath(env);
  if (file === undefined) return;
  try {
    await addPastRun(file, pastRun(run));
  } catch {
    // The run itself is not affected.
  }
}

function pastRun(run: EndedRun): PastRun {
  const { id, words, exit, state, clock, memory, changes, error, isTrial } = run;
  const { made = 0, open = 0 } = changes ?? {};
  return {
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
    ...(state.throttledMs > 0 ? { throttledMs: Math.round(state.throttledMs) } : {}),
    ...(made > 0 ? { changes: made } : {}),
    ...(open > 0 ? { unknown: open } : {}),
    ...(error === undefined ? {} : { error }),
    ...(isTrial ? { isTrial } : {}),
  };
}

/** `syncer apply FILE` for the command that it runs; a plan from a pipe cannot be read again. */
export function typedWords(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => word.startsWith('--apply=/'));
  const file = words[at]?.slice('--apply='.length) ?? '';
  // Versions before put the flags first.
  const flags = [words.slice(at + 1), words.slice(0, at)].find((some) =>
    some.every((word) => word.startsWith('-')),
  );
  const isTyped = at < 0 || file === '/dev/stdin' || flags === undefined;
  return isTyped ? words : ['apply', file, ...flags];
}

/** The working directory; `''` if it was deleted. */
export function workingDir(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}
