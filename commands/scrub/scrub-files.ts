import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { HashCache } from '../../src/caches/hashes/hash-cache.ts';
import { cachePath, cacheStoreOf, currentVersion } from '../../src/caches/hashes/hash-observer.ts';
import {
  agree,
  type ContentVersion,
  type HashRecord,
  isRacy,
  isSameVersion,
  pastMs,
  RACY_MS,
} from '../../src/caches/hashes/hash-record.ts';
import { hasCode, toSyncerError } from '../../src/core/errors.ts';
import { HASH_NAMES, type Hashes, type HashName } from '../../src/core/hash-names.ts';
import { nameToBytes } from '../../src/core/name-bytes.ts';
import type { FileEntry, Remote } from '../../src/core/remote.ts';
import { withHashShown } from '../../src/engine/compare-pair.ts';
import type { Suspects } from '../../src/run/guards/suspects.ts';
import { hashReader } from '../../src/run/listing/hash-reader.ts';
import type { Listing } from '../../src/run/listing/open-listing.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { loadLibc } from '../../src/system/libc.ts';
import type { SCRUB_FLAGS } from './command.ts';

/** What a scrub knows, with the flags that say what it does. */
export interface ScrubWork extends Pick<Invocation<typeof SCRUB_FLAGS>, 'flags' | 'runId'> {
  readonly listing: Listing;
  readonly cache: HashCache;
  readonly suspects: Suspects;
  /** The content of files is read; otherwise only what the server reports is compared. */
  readonly reads: boolean;
  /** What is read comes from the disk, and not from the memory of the system. */
  readonly forget: ((path: string) => Promise<void>) | undefined;
}

/** A file that was verified, or changed while it was read: then it is left for the next run. */
export interface Scrubbed {
  readonly file: FileEntry;
  readonly result: ScrubResult | 'left';
  readonly reason?: string;
}

/** The record of a file, if it is about the file as it is now. */
export function recordOf({ cache, listing }: ScrubWork, file: FileEntry): HashRecord | undefined {
  return cache.find(cacheStoreOf(listing.remote) ?? '', cachePath(listing.remote, file.path));
}

/**
 * When the content of a file was last verified, in milliseconds since the epoch; 0: never, or it has changed since, or at
 * a time to come.
 */
export function verifiedMs(work: ScrubWork, file: FileEntry): number {
  const record = recordOf(work, file);
  const version = record && currentVersion(work.listing.remote, file);
  const isValid = record !== undefined && version !== undefined && isSameVersion(record, version);
  const read = isValid && record.isUnread !== true ? record.readMs : 0;
  const note = work.suspects.suspectAt(file);
  const nowMs = work.listing.run.context.clock.now();
  const checked = note?.result === 'suspect' ? note.checkedMs : 0;
  return Math.max(pastMs(read, nowMs), pastMs(checked, nowMs));
}

/** Verifies one file, and notes the result. `undefined` if it is gone. Rejects only if the run ends. */
export async function scrubFile(work: ScrubWork, entry: FileEntry): Promise<Scrubbed | undefined> {
  const { listing, suspects, runId, reads } = work;
  const { accept } = work.flags;
  const { run, remote } = listing;
  const file = (await remote.can.confirmHashes?.(entry, run.op)) ?? entry;
  const { clock, signal } = run.context;
  const seen = currentVersion(remote, file);
  if (seen === undefined) return undefined;
  const unchanged = suspects.unchangedAt(file);
  // A listing shows nothing about content that was read.
  if (!(reads || accept) && unchanged !== undefined && unchanged.isListed !== true)
    return { file, result: unchanged.result, reason: unchanged.reason };
  const note = unchanged?.was === undefined ? undefined : unchanged;
  let record: HashRecord | undefined;
  if (note === undefined) record = recordOf(work, file);
  else {
    // The cache may have been deleted since, and then have learned the suspect content.
    const { was = {}, foundMs, recordedMs = foundMs, runId: noted, path } = note;
    record = { ...seen, hashes: was, readMs: recordedMs, runId: noted, name: path };
  }
  // A file that was just written may be written once more with the same time: then a later scrub could not judge it.
  if (reads && isRacy(seen.modTime, clock.now())) await clock.sleep(RACY_MS, signal);
  const readMs = clock.now();
  let read: Hashes | undefined;
  try {
    if (reads) read = await readHashes(work, file, hashesFor(work, record, seen));
  } catch (thrown) {
    signal.throwIfAborted();
    if (hasCode(thrown, 'file-not-found')) return undefined;
    if (hasCode(thrown, 'source-changed'))
      return { file, result: 'left', reason: 'changed while it was read' };
    const reason = toSyncerError(thrown).message;
    const found = { result: 'unreadable', reason, checkedMs: readMs, runId } as const;
    await suspects.add(file, { ...note, tag: seen.tag, ...found });
    return { file, result: 'unreadable', reason };
  }
  const version = currentVersion(remote, file);
  if (version === undefined) return undefined;
  const hashes = read ?? file.hashes ?? {};
  const listed = { ...version, hashes: file.hashes ?? {}, readMs, runId, name: '' };
  const verdict = judge(record ?? listed, version, hashes);
  const isOther = verdict.result === 'suspect' && (await isNewFile(work, file, record));
  const found = isOther ? ({ result: 'changed' } as const) : verdict;
  const isNew = record === undefined && found.result === 'ok';
  const now = { ...version, hashes, readMs, runId, ...(reads ? {} : { isUnread: true }) };
  if (found.result === 'suspect' && !accept) {
    const { reason = '' } = found;
    const { hashes: was, readMs: recordedMs } = record ?? listed;
    const content = { tag: version.tag, was, is: hashes, recordedMs };
    const noted = { ...content, result: 'suspect', reason, checkedMs: readMs, runId } as const;
    await suspects.add(file, reads ? noted : { ...noted, isListed: true });
    // What contradicts a record puts it in doubt; without one, it would be recorded itself.
    if (recordOf(work, file) !== undefined) learn(work, file, now);
    return { file, result: 'suspect', reason };
  }
  // The cache may have what contradicts it: the suspect content, or that of a file written twice within a moment.
  const overrides = note !== undefined || found.result === 'suspect' || found.result === 'changed';
  const forced = overrides && { isAccepted: true };
  learn(work, file, { ...now, ...forced });
  await suspects.eraseAt(file.path);
  if (found.result === 'suspect') return { file, result: 'accepted' };
  return { file, result: isNew ? 'new' : found.result };
}

function learn(
  { cache, listing: { remote }, flags }: ScrubWork,
  file: FileEntry,
  read: Omit<HashRecord, 'name'>,
): void {
  if (flags['dry-run']) return;
  cache.learn(cacheStoreOf(remote) ?? '', { ...read, name: cachePath(remote, file.path) });
}

/** Whether a file on a disk was created after the reading of a record: it has the inode of a deleted one then. */
async function isNewFile(
  { listing: { remote } }: ScrubWork,
  { path }: FileEntry,
  record: HashRecord | undefined,
): Promise<boolean> {
  if (record === undefined || !remote.traits.onDisk) return false;
  // Where the system keeps no time of creation, it is 1970.
  const stats = await stat(nameToBytes(diskPath(remote, path))).catch(() => undefined);
  return stats !== undefined && stats.birthtimeMs > record.readMs;
}

function diskPath({ root }: Remote, path: string): string {
  return join(resolve(root), path);
}

/**
 * The hashes to compute: those that are recorded for this version of the file, or the usual one. All of them: an older
 * syncer may have put hashes of two readings into one record.
 */
function hashesFor(
  { listing }: ScrubWork,
  record: HashRecord | undefined,
  version: ContentVersion,
): readonly HashName[] {
  const { slowHash, hashes } = listing.remote.traits;
  const possible = slowHash ? hashes : HASH_NAMES;
  const known = record !== undefined && isSameVersion(record, version) ? record.hashes : {};
  const recorded = possible.filter((name) => known[name] !== undefined);
  if (recorded.length > 0) return slowHash ? recorded : recorded.slice(0, 1);
  return [hashes.find((name) => possible.includes(name)) ?? 'md5'];
}

async function readHashes(
  { listing, flags, forget }: ScrubWork,
  file: FileEntry,
  names: readonly HashName[],
): Promise<Hashes | undefined> {
  const { run, remote } = listing;
  const { can, traits } = remote;
  const [name = 'md5'] = names;
  await forget?.(diskPath(remote, file.path));
  const { hashes } = can;
  if (traits.slowHash && names.length > 1 && hashes !== undefined)
    return withHashShown(run, file, (op) => hashes(file, names, op));
  const how = { download: true, tries: flags['low-level-retries'] };
  const value = traits.slowHash
    ? await withHashShown(run, file, async (op) => can.hash?.(file, name, op))
    : await hashReader(run, remote, name, how)(file);
  return value === undefined ? undefined : { [name]: value };
}

/**
 * Makes the system forget the content of a file, so that the next read is one of the disk; never rejects. `undefined`
 * where the system cannot be asked to.
 */
export async function loadForget(): Promise<ScrubWork['forget']> {
  if (process.platform !== 'linux') return undefined;
  try {
    const libc = await loadLibc();
    const advise = libc.func('posix_fadvise', 'int', ['int', 'int64_t', 'int64_t', 'int']);
    const forget = async (path: string) => {
      // What is no file any more must not be waited for.
      const file = await open(nameToBytes(path), constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        // `POSIX_FADV_DONTNEED` of Linux.
        await new Promise<void>((resolve) => advise.async(file.fd, 0, 0, 4, () => resolve()));
      } finally {
        await file.close();
      }
    };
    return (path) => forget(path).catch(() => {});
  } catch {
    return undefined;
  }
}

/** The result of verifying a file. */
export type ScrubResult =
  | 'ok'
  /** It was never verified before. */
  | 'new'
  | 'changed'
  /** Other content with the same size and time: no program that keeps to the rules did that. */
  | 'suspect'
  /** It was suspect, and the user says that it is right. */
  | 'accepted'
  | 'unreadable';

/**
 * Compares a file with what is recorded about it; of suspects it says why.
 *
 * @param version the file as it is now
 * @param hashes of its content, or as a server reports them
 */
export function judge(
  record: HashRecord | undefined,
  version: ContentVersion,
  hashes: Hashes,
): { readonly result: Exclude<ScrubResult, 'accepted' | 'unreadable'>; readonly reason?: string } {
  if (record === undefined) return { result: 'new' };
  if (!isSameVersion(record, version)) return { result: 'changed' };
  switch (agree(record.hashes, hashes)) {
    case true:
      return { result: 'ok' };
    case undefined:
      return { result: 'new' };
    case false:
      // It may have been written twice within one tick of the clock.
      if (isRacy(record.modTime, record.readMs)) return { result: 'changed' };
  }
  let same = 'its size and modification time have';
  if (record.changedAt === version.changedAt) same = 'its size and times have';
  if (version.changedAt === 0n) same = 'its ETag has';
  return { result: 'suspect', reason: `its content has changed, and ${same} not` };
}
