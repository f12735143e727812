import { SyncerError } from '../../core/errors.ts';
import type { Filter } from '../../filter/filter.ts';

/**
 * Throws `usage` for a single file with filters other than `--max-depth`, as rclone does: the intention is ambiguous.
 *
 * @param isFile whether `spec` is a file
 */
export function refuseFilteredFile(filter: Filter, isFile: boolean, spec: string): void {
  if (!isFile || !filter.hasRules) return;
  throw new SyncerError('usage', `can't limit to single files when using filters: ${spec}`);
}
