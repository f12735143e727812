import type { Entry } from '../core/remote.ts';

/**
 * An entry as the whole run sees it: with `--use-server-modtime` a file has the time at which the store itself
 * wrote it. Its copy gets that time too, as in rclone.
 */
export function asSeen<E extends Entry>(entry: E, useServerModTime: boolean | undefined): E {
  if (!useServerModTime || entry.kind !== 'file' || entry.storedTime === undefined) return entry;
  return { ...entry, modTime: entry.storedTime };
}
