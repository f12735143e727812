import type { Metadata } from '../../core/metadata.ts';
import type { ModTime } from '../../core/mod-time.ts';
import { parseRfc3339 } from '../../core/rfc3339.ts';

/** The metadata that a disk keeps itself, under rclone's names; all others are extended attributes. */
export const SYSTEM_KEYS: readonly string[] = [
  'mode',
  'uid',
  'gid',
  'rdev',
  'atime',
  'mtime',
  'btime',
];

/** What comes before the names of extended attributes that users make. */
export const USER_PREFIX = 'user.';

/** What metadata mean to a disk. */
export interface MetadataPlan {
  /** Whole names and values. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Permissions only, as rclone sets them: without set-user-ID, set-group-ID and the sticky bit. */
  readonly mode?: number;
  readonly accessTime?: ModTime;
  /** Keys whose values make no sense. */
  readonly senseless: readonly string[];
}

/** The largest user and group ID. */
const MAX_ID = 0xffff_fffe;

/**
 * Reads metadata as rclone 1.60.1 does: a user without a group has the group of the same number, a group alone does not
 * count; `btime` and `rdev` cannot be set. `mtime` is not looked at: whoever writes a file is told its time.
 */
export function planMetadata(metadata: Metadata): MetadataPlan {
  const read = <T>(key: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = metadata[key];
    return text === undefined ? undefined : parse(text);
  };
  const uid = read('uid', parseId);
  const gid = read('gid', parseId);
  const mode = read('mode', parseMode);
  const accessTime = read('atime', parseRfc3339);
  const found: Readonly<Record<string, unknown>> = {
    uid,
    gid,
    mode,
    atime: accessTime,
    mtime: read('mtime', parseRfc3339),
  };
  return {
    attributes: Object.entries(metadata)
      .filter(([key]) => !SYSTEM_KEYS.includes(key.toLowerCase()))
      .map(([key, value]) => [USER_PREFIX + key.toLowerCase(), value]),
    ...(uid === undefined ? {} : { owner: { uid, gid: gid ?? uid } }),
    ...(mode === undefined ? {} : { mode }),
    ...(accessTime === undefined ? {} : { accessTime }),
    senseless: Object.keys(found).filter(
      (key) => metadata[key] !== undefined && found[key] === undefined,
    ),
  };
}

function parseId(text: string): number | undefined {
  if (!/^\+?\d{1,10}$/.test(text)) return undefined;
  const id = Number(text);
  return id <= MAX_ID ? id : undefined;
}

function parseMode(text: string): number | undefined {
  return /^[0-7]{1,7}$/.test(text) ? Number.parseInt(text, 8) & 0o777 : undefined;
}
