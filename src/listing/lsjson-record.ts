import type { Entry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';
import type { Json } from '../go/go-json.ts';
import type { MimeTypes } from '../names/mime-types.ts';
import { formatRfc3339, formatRfc3339Utc } from './time-format.ts';

/** Which properties of an entry to print, and how. */
export interface LsjsonRules {
  /** Time of entries whose own time is unknown (prefixes of object storage). */
  readonly now: bigint;
  readonly fractionDigits: number;
  readonly modTime: boolean;
  readonly mimeType: boolean;
  /** Types of files whose own type is unknown. */
  readonly mimeTypes: MimeTypes;
  /** Names of the hashes to print, if any. */
  readonly hashes: readonly string[];
  readonly original: boolean;
  readonly metadata: boolean;
  /** The remote has storage classes. */
  readonly tier: boolean;
  /** The shown size of a directory: -1, or 0. */
  readonly dirSize: number;
}

/**
 * One entry of `lsjson`, with its fields in rclone's order; empty ones are absent. Integer-like keys would
 * come first in a JavaScript object, so hashes and metadata are sorted as names, which is Go's order, too.
 */
export function lsjsonRecord(entry: Entry, rules: LsjsonRules): Record<string, Json | undefined> {
  const isDir = entry.kind === 'dir';
  const file = isDir ? undefined : entry;
  return {
    Path: entry.path,
    Name: leafName(entry.path),
    Size: file?.size ?? rules.dirSize,
    MimeType: rules.mimeType ? mimeTypeOf(entry, rules.mimeTypes) : undefined,
    ModTime: rules.modTime ? timeText(entry, rules) : '',
    IsDir: isDir,
    Hashes:
      file && nonEmpty(file.hashes, (name, value) => value !== '' && rules.hashes.includes(name)),
    ID: file?.version === undefined ? entry.id : undefined,
    OrigID: rules.original ? file?.id : undefined,
    Tier: rules.tier ? file?.tier : undefined,
    IsBucket: isDir && entry.isBucket === true ? true : undefined,
    Metadata: rules.metadata ? nonEmpty(entry.metadata, () => true) : undefined,
  };
}

/** In local time; but the server's own time in UTC, as in rclone. */
function timeText(entry: Entry, { now, fractionDigits }: LsjsonRules): string {
  const { modTime = now } = entry;
  const isStores = entry.kind === 'dir' ? entry.isBucket : entry.storedTime === modTime;
  return (isStores ? formatRfc3339Utc : formatRfc3339)(modTime, fractionDigits);
}

/** The MIME type of an entry; `inode/directory` for directories. */
export function mimeTypeOf(entry: Entry, mimeTypes: MimeTypes): string {
  if (entry.kind === 'dir') return 'inode/directory';
  return entry.mimeType ?? mimeTypes(entry.path);
}

function nonEmpty(
  values: Readonly<Record<string, string | undefined>> | undefined,
  isWanted: (name: string, value: string) => boolean,
): Record<string, string | undefined> | undefined {
  const wanted = Object.entries(values ?? {}).filter(
    ([name, value]) => value !== undefined && isWanted(name, value),
  );
  if (wanted.length === 0) return undefined;
  return Object.fromEntries(wanted.sort(([a], [b]) => (a < b ? -1 : 1)));
}
