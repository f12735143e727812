import { type Hashes, sharedHashes } from '../../core/hash-names.ts';
import { type ModTime, modTimeToMs } from '../../core/mod-time.ts';

/** Which content of a file a record is about. */
export interface ContentVersion {
  /** In bytes. */
  readonly size: number;
  /** The modification time, in nanoseconds; 0 where the tag changes with the content. */
  readonly modTime: ModTime;
  /** See `ContentStamp`. */
  readonly tag: string;
  /** See `ContentStamp`; 0 where it has none. */
  readonly changedAt: ModTime;
}

/** The hashes of a file, and when its content was read for them. */
export interface HashRecord extends ContentVersion {
  /** The path of the file below the root of its server or disk. */
  readonly name: string;
  readonly hashes: Hashes;
  /** When the reading began, in milliseconds since the epoch. */
  readonly readMs: number;
  /** The run that read it; see `newRunId`. */
  readonly runId: string;
  /** The content was not read: the server reported these hashes, if any, at `readMs`. */
  readonly isUnread?: boolean;
  /** A person has said that this content is right, whatever was recorded before. */
  readonly isAccepted?: boolean;
  /** A later reading of the same version had another hash, or none in common: this one stands for no reading. */
  readonly isDoubted?: boolean;
}

/** Files that changed less than this before they were read may have changed again unseen, in milliseconds; git's rule. */
export const RACY_MS = 2000;

/** Whether two versions should have the same content, as far as size, modification time and tag say. */
export function isSameVersion(a: ContentVersion, b: ContentVersion): boolean {
  return a.size === b.size && a.modTime === b.modTime && a.tag === b.tag;
}

/**
 * Whether the hashes of a record may stand for a reading of that version: nothing has changed the file since, and it
 * was old enough when it was read. A change after the beginning of the reading, whose modification time was set back,
 * is not old enough either.
 */
export function isBelieved(record: HashRecord, version: ContentVersion): boolean {
  const isEvidence = record.isUnread === true || record.isDoubted === true;
  if (isEvidence || !isSameVersion(record, version)) return false;
  return (
    record.changedAt === version.changedAt &&
    modTimeToMs(record.changedAt) <= record.readMs - RACY_MS &&
    !isRacy(record.modTime, record.readMs)
  );
}

/** Whether a file that changed at `time` may have changed once more, with the same time, after `readMs`. */
export function isRacy(time: ModTime, readMs: number): boolean {
  return Math.abs(modTimeToMs(time) - readMs) < RACY_MS;
}

/** Whether two sets of hashes can be of one content; `undefined` if they have no hash in common. */
export function agree(a: Hashes, b: Hashes): boolean | undefined {
  const common = sharedHashes(a, b);
  return common.length === 0 ? undefined : common.every((name) => a[name] === b[name]);
}

/**
 * The record to keep of two with one name. A later reading never replaces what it contradicts, as long as size, time
 * and tag are the same: that is the evidence for `scrub`. Hashes of two readings come into one record only if they have
 * a hash in common: nothing else shows that both read the same content. Until a reading agrees with it, the older one
 * is doubted.
 */
export function laterRecord(older: HashRecord, newer: HashRecord): HashRecord {
  if (newer.isAccepted === true || !isSameVersion(older, newer)) return newer;
  const agrees = agree(older.hashes, newer.hashes);
  // What the server reported it reports again.
  if (agrees === undefined && older.isUnread === true) return newer;
  if (agrees === undefined && newer.isUnread === true) return older;
  if (agrees !== true) return { ...older, isDoubted: true };
  const { isAccepted = false } = older;
  const hashes = { ...older.hashes, ...newer.hashes };
  if (newer.isUnread === true) return { ...older, hashes };
  return { ...newer, hashes, ...(isAccepted && { isAccepted }) };
}

/** A time of a reading; 0, as unknown, if it is to come: then a clock was wrong. */
export const pastMs = (ms: number, nowMs: number): number => (ms > nowMs ? 0 : ms);

/** The record to keep of several with one name, in any order, at `nowMs`. */
export function latestRecord(
  records: readonly HashRecord[],
  nowMs: number,
): HashRecord | undefined {
  if (records.length <= 1) return records[0];
  // Readings to come are before all others.
  const [first, ...others] = records.toSorted(
    ({ readMs: a }, { readMs: b }) => pastMs(a, nowMs) - pastMs(b, nowMs) || a - b,
  );
  return first && others.reduce(laterRecord, first);
}
