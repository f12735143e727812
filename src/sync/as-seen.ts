import type { Entry } from '../core/remote.ts';

/**
 * An entry as the whole run sees it: with `--use-server-modtime` a file has the time at which the server stored it.
 * Its copy gets that time too, as in rclone.
 */
export function asSeen<E extends Entry>(entry: E, useServerModTime: boolean | undefined): E {
  if (!useServerModTime || entry.kind !== 'file' || entry.storedTime === undefined) return entry;
  return { ...entry, modTime: entry.storedTime };
}
