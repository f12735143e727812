import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  cachePath,
  cacheStoreOf,
  currentVersion,
  type HashCache,
} from '../../src/caches/hashes/hash-cache.ts';
import {
  agree,
  type ContentVersion,
  type HashRecord,
  isRacy,
  isSameVersion,
  pastMs,
  RACY_MS,
} from '../../src/caches/hashes/hash-record.ts';
import { hasCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { HASH_NAMES, type Hashes, type HashName } from '../../src/core/hash-names.ts';
import { nameToBytes } from '../../src/core/name-bytes.ts';
import type { FileEntry, Remote } from '../../src/core/remote.ts';
import { withHashShown } from '../../src/engine/compare-pair.ts';
import { checkPool } from '../../src/engine/task-pool.ts';
import { parseByteSize, parseDuration } from '../../src/go/quantities.ts';
import type { Suspects } from '../../src/run/guards/suspects.ts';
import { hashReader } from '../../src/run/listing/hash-reader.ts';
import type { Listing } from '../../src/run/listing/open-listing.ts';
import { requestsAtOnce } from '../../src/run/remotes/remote-flags.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';
import { loadLibc } from '../../src/system/libc.ts';
import type { SCRUB_FLAGS } from './command.ts';

export interface ScrubTotals {
  readonly counts: Record<ScrubResult, number>;
  /** Read, in bytes. */
  bytes: number;
  /** Files that were due and not read, or changed while they were read. */
  left: number;
}

/**
 * Verifies files, those first that were not verified for the longest time. Rejects only if the run ends.
 *
 * @param onFile receives each file that was verified
 */
export async function runScrub(
  work: ScrubWork,
  budget: ScrubBudget,
  onFile: (scrubbed: Scrubbed) => Promise<void>,
): Promise<ScrubTotals> {
  const { listing, reads } = work;
  const { run } = listing;
  const { clock, emit } = run.context;
  const startMs = clock.now();
  const totals: ScrubTotals = {
    counts: { ok: 0, new: 0, changed: 0, suspect: 0, accepted: 0, unreadable: 0 },
    bytes: 0,
    left: 0,
  };
  const verify = async (entry: FileEntry) => {
    const scrubbed = await scrubFile(work, entry);
    if (scrubbed === undefined) return;
    const { file, result, reason = '' } = scrubbed;
    if (result === 'left') {
      totals.left++;
      run.log('notice', file.path, 'message', { text: `${reason}: left for the next run` });
    } else {
      totals.counts[result]++;
      if (reads && result !== 'unreadable') totals.bytes += Math.max(0, file.size);
    }
    if (result === 'suspect' || result === 'unreadable') {
      const error = new SyncerError('differences', `${result}: ${reason}`, { path: file.path });
      run.log('error', file.path, 'message', { text: error.message, error });
      emit({ type: 'error', error });
    }
    await onFile(scrubbed);
  };
  if (!reads) {
    // To compare what listings say takes no time, and needs no order.
    for await (const files of listing.files()) {
      for (const file of files) {
        await verify(file);
        emit({ type: 'checked', files: 1 });
      }
    }
    return totals;
  }
  const checkers = requestsAtOnce(work.flags, listing.remote);
  for (;;) {
    // They wait in memory; if more are due, the tree is listed again for the next ones.
    const due = new OldestFiles<FileEntry>(200_000);
    await listDue(work, startMs, due);
    const pool = checkPool({ checkers }, run);
    let started = 0;
    for (const { file } of due.sorted()) {
      if (run.op.signal.aborted) break;
      if (!budget.take(Math.max(0, file.size))) {
        totals.left++;
        continue;
      }
      started++;
      emit({ type: 'check-queued', files: 1 });
      await pool.add(async () => {
        try {
          if (run.op.signal.aborted) return;
          await run.control?.ready(run.op.signal);
          await verify(file);
        } catch (thrown) {
          run.fail(thrown, file.path);
        }
        emit({ type: 'checked', files: 1 });
      });
    }
    await pool.idle();
    run.context.signal.throwIfAborted();
    if (!due.isCut || started === 0 || budget.isSpent) return totals;
    totals.left = 0;
  }
}

async function listDue(work: ScrubWork, startMs: number, due: OldestFiles<FileEntry>) {
  const { listing, suspects } = work;
  const { accept: accepts, every: everyMs } = work.flags;
  const { remote, run } = listing;
  const below = suspects.below(listing.file?.path ?? '');
  const missing = new Map(below.map((note) => [note.path, note]));
  for await (const files of listing.files()) {
    for (const file of files) {
      const suspect = suspects.at(file.path);
      if (suspect !== undefined) missing.delete(suspect.path);
      if (accepts && suspect?.was === undefined) continue;
      const ms = accepts ? 0 : verifiedMs(work, file);
      const isOld = ms < startMs && (ms === 0 || ms <= startMs - everyMs);
      const checkedMs = pastMs(suspect?.checkedMs ?? 0, run.context.clock.now());
      if (accepts || (suspect === undefined ? isOld : checkedMs < startMs))
        due.add({ file, size: file.size, verifiedMs: ms });
    }
  }
  if (run.tally.count > 0) return;
  for (const note of missing.values()) {
    const path = suspects.pathOf(note);
    // A filter may have left it out, and its disk may not be mounted.
    if (path === undefined || !(await suspects.isMounted(note))) continue;
    const found = await remote.stat(path, run.op).catch(() => {
      run.op.signal.throwIfAborted();
      return 'unknown';
    });
    if (found === undefined) await suspects.erase(note);
  }
}

interface DueFile<T> {
  readonly file: T;
  /** In bytes. */
  readonly size: number;
  /** When its content was last verified, in milliseconds since the epoch; 0: never. */
  readonly verifiedMs: number;
}

/** The `most` files that were not verified for the longest time, of any number. */
export class OldestFiles<T> {
  readonly #most: number;
  #files: DueFile<T>[] = [];
  #newestMs = Number.POSITIVE_INFINITY;
  /** Some files did not fit. */
  isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(due: DueFile<T>): void {
    if (due.verifiedMs >= this.#newestMs) {
      this.isCut = true;
      return;
    }
    this.#files.push(due);
    if (this.#files.length >= this.#most * 2) this.#cut();
  }

  /** The files, the one that waits longest first; of those that wait equally long the largest, which fit least. */
  sorted(): readonly DueFile<T>[] {
    this.#cut();
    return this.#files;
  }

  #cut(): void {
    this.#files.sort((a, b) => a.verifiedMs - b.verifiedMs || b.size - a.size);
    if (this.#files.length <= this.#most) return;
    this.isCut = true;
    this.#files.length = this.#most;
    this.#newestMs = this.#files.at(-1)?.verifiedMs ?? Number.POSITIVE_INFINITY;
  }
}

/** How much a scrub reads, in bytes or in milliseconds; neither: everything. */
export interface ScrubLimit {
  readonly bytes?: number;
  readonly ms?: number;
}

/** Parses `--budget`. Throws `command-line`. */
export function parseScrubLimit(text: string | undefined): ScrubLimit {
  if (text === undefined) return {};
  try {
    // A number with a unit of time in small letters: `2h`, `1h30m`. Anything else is a size: `100G`.
    const isTime = /^([\d.]+(ms|s|m|h|d|w|y))+$/.test(text);
    const amount = isTime ? { ms: parseDuration(text, 0) } : { bytes: parseByteSize(text) };
    if ((amount.ms ?? amount.bytes ?? 0) > 0) return amount;
  } catch {
    // Reported below.
  }
  const advice = 'use a size such as 100G, or a time such as 2h';
  throw new SyncerError('command-line', `invalid value for flag --budget: "${text}"`, { advice });
}

/** What is left of a limit. */
export class ScrubBudget {
  readonly #mostBytes: number;
  readonly #endMs: number;
  readonly #nowMs: () => number;
  #bytes = 0;

  /** @param nowMs `Clock.monotonic` */
  constructor({ bytes, ms }: ScrubLimit, nowMs: () => number) {
    this.#mostBytes = bytes ?? Number.POSITIVE_INFINITY;
    this.#endMs = nowMs() + (ms ?? Number.POSITIVE_INFINITY);
    this.#nowMs = nowMs;
  }

  /** Nothing more may be read. */
  get isSpent(): boolean {
    return this.#bytes >= this.#mostBytes || this.#nowMs() >= this.#endMs;
  }

  /** Takes a file of `bytes` if it fits. The first always does: one larger than the budget would never be read. */
  take(bytes: number): boolean {
    const fits = this.#bytes === 0 || this.#bytes + bytes <= this.#mostBytes;
    if (!fits || this.#nowMs() >= this.#endMs) return false;
    this.#bytes += bytes;
    return true;
  }
}

/** What a scrub knows, with the flags that say what it does. */
export interface ScrubWork {
  readonly flags: FlagsWith<typeof SCRUB_FLAGS>;
  readonly runId: string;
  readonly listing: Listing;
  readonly cache: HashCache;
  readonly suspects: Suspects;
  /** The content of files is read; otherwise only what the server reports is compared. */
  readonly reads: boolean;
  /** What is read comes from the disk, and not from the memory of the system. */
  readonly forget: ((path: string) => Promise<void>) | undefined;
}

/** A file that was verified, or changed while it was read: then it is left for the next run. */
interface Scrubbed {
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
async function scrubFile(work: ScrubWork, entry: FileEntry): Promise<Scrubbed | undefined> {
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

const diskPath = ({ root }: Remote, path: string): string => join(resolve(root), path);

/** The hashes to compute: all that are recorded (an older syncer mixed those of two readings), or the usual one. */
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
type ScrubResult =
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
