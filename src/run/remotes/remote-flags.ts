import type { FixedOptions } from '../../config/resolve-options.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Remote } from '../../core/remote.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';

/**
 * Parses HTTP headers of a flag: `Name: value`. Names become lower case; the last of a name wins. Throws `usage` with
 * the flag for an invalid header.
 */
export function readHeaders(
  flag: string,
  lines: readonly string[],
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
      throw new SyncerError(
        'usage',
        `${flag}: failed to parse "${line}" as an HTTP header: write it like "Content-Encoding: gzip"`,
      );
    }
    headers[name] = line.slice(colon + 1).trim();
  }
  return headers;
}

/** Local options that override all others: follow symbolic links. */
export const FOLLOW_LINKS: FixedOptions = { copy_links: 'true', links: 'false' };

/** As `FOLLOW_LINKS`: skip symbolic links. */
export const SKIP_LINKS: FixedOptions = { copy_links: 'false', links: 'false' };

/** As `FOLLOW_LINKS`: list symbolic links as files. */
export const LIST_LINKS: FixedOptions = { copy_links: 'false', links: 'true' };

/** rclone's default of `--checkers`, which its backends are made for. */
const CHECKERS_OF_RCLONE = 8;

/** Whether one of the remotes may bear few requests at once. */
export function bearsFew(...remotes: readonly Pick<Remote, 'traits'>[]): boolean {
  return remotes.some(({ traits }) => traits.carries !== undefined);
}

/** Number of parallel requests for a remote, or for two that are compared (`--checkers`). */
export function requestsAtOnce(flags: Flags, ...remotes: readonly Remote[]): number {
  if (flags.checkers === undefined && bearsFew(...remotes)) return CHECKERS_OF_RCLONE;
  return Math.max(1, flags.checkers ?? (areOnDisk(remotes) ? 16 : 32));
}

/**
 * As `requestsAtOnce`, where hashes are read. On disks these are the files that wait for the thread: fewer make its
 * messages too short.
 */
export function hashesAtOnce(flags: Flags, ...remotes: readonly Remote[]): number {
  if (flags.checkers === undefined && bearsFew(...remotes)) return CHECKERS_OF_RCLONE;
  return Math.max(1, flags.checkers ?? (areOnDisk(remotes) ? 128 : 32));
}

function areOnDisk(remotes: readonly Remote[]): boolean {
  return remotes.every(({ traits }) => traits.onDisk);
}
