import { constants } from 'node:os';
import type { Metadata } from '../../core/entry-details.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { type ModTime, parseRfc3339 } from '../../core/mod-time.ts';
import type { ExtendedAttributes } from './extended-attributes.ts';
import type { AttributeError } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';

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

/** The prefix of users' extended attributes. */
export const USER_PREFIX = 'user.';

/** Metadata as a disk sets them. */
export interface MetadataPlan {
  /** Whole names and values. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** As rclone sets them: set-user-ID, set-group-ID and the sticky bit only if they are wanted. */
  readonly mode?: number;
  readonly accessTime?: ModTime;
  /** Keys with invalid values. */
  readonly senseless: readonly string[];
}

/** The largest user and group ID. */
const MAX_ID = 0xffff_fffe;

/**
 * Reads metadata as rclone 1.60.1 does: a user without a group gets the group of the same number, a group alone is
 * ignored; `btime` and `rdev` cannot be set. `mtime` is not read: the writer has it.
 */
export function planMetadata(metadata: Metadata, withSpecialBits = false): MetadataPlan {
  const read = <T>(key: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = metadata[key];
    return text === undefined ? undefined : parse(text);
  };
  const uid = read('uid', parseId);
  const gid = read('gid', parseId);
  const mode = read('mode', (text) => parseMode(text, withSpecialBits ? 0o7777 : 0o777));
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

function parseMode(text: string, bits: number): number | undefined {
  return /^[0-7]{1,7}$/.test(text) ? Number.parseInt(text, 8) & bits : undefined;
}

/** Access to a disk's extended attributes; `undefined`, reported once, if there is none. */
export async function attributesOf(disk: LocalDisk): Promise<ExtendedAttributes | undefined> {
  try {
    return await disk.attributes();
  } catch (thrown) {
    refuseAttributes(disk, toSyncerError(thrown).message);
    return undefined;
  }
}

/** Stops using extended attributes on this disk; logs it the first time. */
export function refuseAttributes(disk: LocalDisk, why: string): void {
  if (!disk.refuseAttributes()) return;
  const event = { code: 'attributes-disabled', fields: { why } } as const;
  disk.context.emit({ type: 'log', level: 'error', path: disk.title, ...event });
}

/** The error for an extended attribute that could not be read. */
export function attributeFailure(
  message: string,
  path: string,
  cause: AttributeError,
): SyncerError {
  const { EACCES, EPERM } = constants.errno;
  const denied = cause.errno === EACCES || cause.errno === EPERM;
  return new SyncerError(denied ? 'access-denied' : 'other', message, { path, cause });
}
