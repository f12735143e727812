import { SyncerError } from '../../core/errors.ts';
import type { Filter } from '../../filter/filter.ts';

/**
 * Throws `usage` where a command was given one file and filters besides `--max-depth`, as rclone does: whether the file
 * is meant all the same nobody can tell.
 *
 * @param isFile whether `spec` turned out to be a file
 */
export function refuseFilteredFile(filter: Filter, isFile: boolean, spec: string): void {
  if (!isFile || !filter.hasRules) return;
  throw new SyncerError('usage', `can't limit to single files when using filters: ${spec}`);
}
