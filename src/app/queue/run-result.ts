import { SyncerError } from '../../core/errors.ts';
import type { RunEnding } from '../../queue/queue-run.ts';
import type { RunSpec } from '../../queue/run-spec.ts';
import { deleteBudget, tooLong } from '../../sync/run-limits.ts';

/**
 * The number of files that all workers of a run have transferred; throws the error that decides the exit code unless the
 * run has finished.
 *
 * @param lastError the last one of a worker
 */
export function resultOf(
  { how }: RunEnding,
  { id }: Pick<RunSpec, 'id'>,
  {
    files = 0,
    lastError,
  }: { readonly files?: number; readonly lastError?: SyncerError | undefined } = {},
): number {
  switch (how) {
    case 'finished':
      return files;
    case 'too-many-deletes':
      throw deleteBudget(0).error();
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
