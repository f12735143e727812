import { modTimeToMs } from '../core/mod-time.ts';
import type { FileEntry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';
import type { KnownTime } from './known-time.ts';

/**
 * What a call taught about an object. It is of use only for an object that the store wrote at least `RACY_MS` before:
 * a younger one may have been written once more without its LastModified showing it.
 */
export interface LearnedTime {
  readonly known: KnownTime;
  /**
   * Absent where `known` never covers an object that was too young. Else its `toMs` holds only up to the time of
   * `Clock.monotonic` plus this, in milliseconds: the longer nothing else was heard, the older the object is.
   */
  readonly ageOffsetMs?: number;
}

/** An object written so shortly before, in milliseconds, is too young to be known; git's rule for its own index. */
const RACY_MS = 2000;

/** Last-Modified and Date of HTTP count whole seconds: what they tell happened within this many ms from then on. */
const WITHIN_SECOND_MS = 999;

/**
 * What the answer to HEAD or GET (`details`) taught; `undefined` where it lacks ETag, LastModified or Date, or the
 * object is too young. Both times are by the store's clock.
 *
 * @param listed the file as a listing told it before, perhaps with a more exact LastModified
 */
export function learnFromDetails(
  details: FileEntry,
  listed: FileEntry | undefined,
): LearnedTime | undefined {
  const { storedTime, toldAt } = details;
  if (storedTime === undefined || toldAt === undefined) return undefined;
  const writtenMs = Math.floor(modTimeToMs(storedTime) / 1000) * 1000;
  const newestMs = modTimeToMs(toldAt) - RACY_MS;
  const exactMs = exactStoredMs(details, listed, writtenMs);
  // LastModified stands for the time of an object without one: a listing may tell it better than these headers.
  if (exactMs === undefined && details.modTime === storedTime) return undefined;
  return learned(
    details,
    exactMs ?? writtenMs,
    Math.min(exactMs ?? writtenMs + WITHIN_SECOND_MS, newestMs),
    { md5: details.hashes?.md5 },
  );
}

/**
 * What a call that wrote the object taught. Its LastModified is not told; it lies within the call. The end of that is
 * known from `written.toldAt`, the Date of some answer that came during the call, by the store's clock; how long the
 * call took is counted by ours. So the clocks need not agree.
 *
 * @param startMs when the call began, by `Clock.monotonic`
 * @param endMs when it ended
 */
export function learnFromWrite(
  written: FileEntry,
  startMs: number,
  endMs: number,
): LearnedTime | undefined {
  if (written.toldAt === undefined) return undefined;
  const toldMs = modTimeToMs(written.toldAt);
  const tookMs = Math.max(0, endMs - startMs);
  const fromMs = Math.floor((toldMs - tookMs) / 1000) * 1000;
  const toMs = toldMs + WITHIN_SECOND_MS + Math.ceil(tookMs);
  const ageOffsetMs = toldMs - endMs - RACY_MS;
  return learned(written, fromMs, toMs, { ageOffsetMs });
}

/** What is known for good when the monotonic clock shows `nowMs`; `undefined` while the object is too young. */
export function settled({ known, ageOffsetMs }: LearnedTime, nowMs: number): KnownTime | undefined {
  if (ageOffsetMs === undefined) return known;
  const toMs = Math.min(known.toMs, Math.floor(nowMs + ageOffsetMs));
  return toMs < known.fromMs ? undefined : { ...known, toMs };
}

/** Whether waiting longer teaches more. */
export function isYoung({ known, ageOffsetMs }: LearnedTime, nowMs: number): boolean {
  return ageOffsetMs !== undefined && nowMs + ageOffsetMs < known.toMs;
}

/** LastModified as the listing told it, where the answer that came later tells the same to the second. */
function exactStoredMs(
  details: FileEntry,
  listed: FileEntry | undefined,
  writtenMs: number,
): number | undefined {
  if (listed?.storedTime === undefined) return undefined;
  const isSame = listed.etag === details.etag && listed.size === details.size;
  const listedMs = modTimeToMs(listed.storedTime);
  return isSame && Math.floor(listedMs / 1000) * 1000 === writtenMs ? listedMs : undefined;
}

function learned(
  file: FileEntry,
  fromMs: number,
  toMs: number,
  more: { readonly md5?: string | undefined; readonly ageOffsetMs?: number },
): LearnedTime | undefined {
  const { size, etag, modTime } = file;
  if (etag === undefined || etag === '' || modTime === undefined || size < 0) return undefined;
  if (toMs < fromMs) return undefined;
  const md5 = more.md5 === etag ? undefined : more.md5;
  const name = leafName(file.path);
  const known = { name, size, etag, fromMs, toMs, modTime, ...(md5 === undefined ? {} : { md5 }) };
  return { known, ...(more.ageOffsetMs === undefined ? {} : { ageOffsetMs: more.ageOffsetMs }) };
}
