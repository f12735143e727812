import type { HashName } from './hash-names.ts';
import { type ModTime, splitModTime } from './mod-time.ts';
import type { FileEntry } from './remote.ts';

/** Files of repeated bytes may have the same one: equal ones alone are no proof. */
const WEAK: readonly HashName[] = ['quickxor', 'crc32', 'xxh3', 'xxh128'];

/**
 * Whether two entries of one file have the same bytes, so that bytes that were read of one are valid for the other. An
 * equal size alone is not enough.
 *
 * @param isFast ignore slow properties (`--vfs-fast-fingerprint` with a remote whose listings have no times): an
 * equal size is enough
 */
export function sameContent(a: FileEntry, b: FileEntry, isFast = false): boolean {
  if (a.size !== b.size || a.size < 0) return false;
  if (a.etag !== undefined && a.etag === b.etag) return true;
  const hashes = sameHashes(a, b);
  if (hashes === 'other') return false;
  if (hashes === 'same') return true;
  if (a.contentTag !== undefined && b.contentTag !== undefined)
    return a.contentTag === b.contentTag;
  if (hashes === 'probably') return a.modTime === b.modTime;
  if (a.etag !== undefined && b.etag !== undefined) return false;
  if (isFast) return true;
  if (a.modTime !== undefined && b.modTime !== undefined) return a.modTime === b.modTime;
  return a.storedTime !== undefined && a.storedTime === b.storedTime;
}

/** `undefined` if they have no hash in common. */
function sameHashes(a: FileEntry, b: FileEntry): 'same' | 'probably' | 'other' | undefined {
  let known: 'same' | 'probably' | undefined;
  for (const [name, hash] of Object.entries(a.hashes ?? {})) {
    const other = b.hashes?.[name as HashName];
    if (other === undefined) continue;
    if (other !== hash) return 'other';
    if (known !== 'same') known = WEAK.includes(name as HashName) ? 'probably' : 'same';
  }
  return known;
}

/**
 * Whether a file found after a write is the one that the write should have replaced, so that nothing was written: by
 * its ETag, and the time the server stored it. Responses have that time to the second.
 */
export function isUntouched(
  found: FileEntry,
  replaced: FileEntry | 'nothing' | 'look' | undefined,
): boolean {
  if (replaced === undefined || typeof replaced === 'string') return false;
  // A repeated failure may leave what the first has left.
  if (replaced.isWrong === true) return false;
  if (found.etag === undefined || found.etag !== replaced.etag) return false;
  if (found.id !== undefined && replaced.id !== undefined && found.id !== replaced.id) return false;
  const [now, before] = [found.storedTime, replaced.storedTime];
  return now === undefined || before === undefined || isSameSecond(now, before);
}

/** What identifies the file at a path. */
export type Print = Pick<FileEntry, 'size' | 'modTime' | 'etag' | 'contentTag'>;

/**
 * Whether the file at a path is still the one that was listed there, as far as both entries show; `undefined` is no
 * file. Servers also change the ETag for other reasons than content.
 */
export function isStillListed(listed: Print | undefined, now: Print | undefined): boolean {
  if (listed === undefined || now === undefined) return listed === now;
  for (const tag of ['contentTag', 'etag'] as const)
    if (listed[tag] !== undefined && now[tag] !== undefined) return listed[tag] === now[tag];
  return listed.size === now.size && listed.modTime === now.modTime;
}

/** Whether two times of a server are the same, if it may have told one of them in whole seconds. */
export function isSameSecond(a: ModTime, b: ModTime): boolean {
  return splitModTime(a).seconds === splitModTime(b).seconds;
}
