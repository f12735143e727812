import { join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import type { Clock } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import type { PastRun } from '../../home/past-run.ts';
import type { ProgressState } from '../../progress/progress-state.ts';
import { redactSecrets } from '../log/redact-secrets.ts';
import { addPastRun } from './run-history.ts';

/** The data of a finished run. */
interface EndedRun {
  readonly words: readonly string[];
  readonly exit: number;
  readonly state: ProgressState;
  readonly clock: Clock;
  readonly error: SyncerError | undefined;
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

function pastRun({ words, exit, state, clock, error }: EndedRun): PastRun {
  return {
    endedMs: clock.now(),
    tookMs: Math.round(clock.monotonic() - state.startedMs),
    words: withoutSecrets(words),
    dir: workingDir(),
    exit,
    files: state.transfers,
    bytes: state.bytes,
    checks: state.checks,
    deleted: state.deletedFiles,
    errors: state.errors,
    ...(error === undefined ? {} : { error: redactSecrets(error.message) }),
  };
}

/** `''` if it was deleted. */
function workingDir(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

/** A secret may be part of a word, or a whole word after its flag. */
function withoutSecrets(words: readonly string[]): readonly string[] {
  return words.map((word, at) => {
    const pair = `${JSON.stringify(words[at - 1] ?? '')} ${JSON.stringify(word)}`;
    if (redactSecrets(pair).endsWith(' REDACTED')) return 'REDACTED';
    const quoted = redactSecrets(JSON.stringify(word));
    return quoted.startsWith('"') && quoted.endsWith('"') ? JSON.parse(quoted) : 'REDACTED';
  });
}
