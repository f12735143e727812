import { SyncerError } from '../../core/errors.ts';
import { tooLong, tooManyDeletes, tooMuch } from '../../engine/run-limits.ts';
import type { RunEnding } from './queue-run.ts';
import type { RunSpec } from './run-spec.ts';

/** What all workers of a run have done. */
export interface RunResult {
  /** Transferred. */
  readonly files?: number;
  /** Of a check: its differences. */
  readonly extra?: number;
  /** The last one of a worker. */
  readonly lastError?: SyncerError | undefined;
}

/**
 * The number of files that all workers of a run have transferred; throws the error that decides the exit code unless the
 * run has finished, and a check has found no differences.
 */
export function resultOf(
  { how }: RunEnding,
  { id, verb }: Pick<RunSpec, 'id' | 'verb'>,
  { files = 0, extra = 0, lastError }: RunResult = {},
): number {
  switch (how) {
    case 'finished':
      if (verb === 'check' && extra > 0)
        throw new SyncerError('differences', `${extra} differences found`);
      return files;
    case 'too-many-deletes':
      throw tooManyDeletes('--max-delete');
    case 'too-large-deletes':
      throw tooManyDeletes('--max-delete-size');
    case 'too-much':
      throw tooMuch();
    case 'too-long':
      throw tooLong();
    case 'stopped':
      throw new SyncerError('stopped', `run ${id} was stopped`, {
        advice: 'run the same command again to continue',
      });
    case 'failed':
      if (lastError !== undefined) throw lastError;
      throw new SyncerError('other', `some ranges of names of run ${id} could not be finished`, {
        advice: 'run the same command again',
      });
  }
}
