import type { Remote } from '../../core/remote.ts';
import type { Flags } from '../flags/flag-table.ts';

/** Number of parallel requests for a remote, or for two that are compared (`--checkers`). */
export function requestsAtOnce(flags: Flags, ...remotes: readonly Remote[]): number {
  const onDisk = remotes.every(({ traits }) => traits.onDisk);
  return Math.max(1, flags.checkers ?? (onDisk ? 16 : 32));
}
