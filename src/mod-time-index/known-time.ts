import { type ModTime, modTimeToMs } from '../core/mod-time.ts';
import type { FileEntry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';
import { ownText } from '../kit/own-text.ts';

/** The modification time of an object, and how listings show that object. */
export interface KnownTime {
  /** The last segment of the object's path. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly etag: string;
  /** The server wrote the object (LastModified) at this time or later, in milliseconds since the epoch. */
  readonly fromMs: number;
  /** And at this time or earlier. */
  readonly toMs: number;
  readonly modTime: ModTime;
  /** The MD5 of the content, hexadecimal, if it is not the ETag. */
  readonly md5?: string;
}

/** Whether a listed file is the object whose time is known. Never if the listing has no ETag or no LastModified. */
export function isDescribed(known: KnownTime, file: FileEntry): boolean {
  if (known.etag !== file.etag || known.size !== file.size) return false;
  if (file.storedTime === undefined || file.etag === '') return false;
  const storedMs = modTimeToMs(file.storedTime);
  return storedMs >= known.fromMs && storedMs <= known.toMs;
}

/** Whether two records can describe the same object with different times: then neither is used. */
export function contradict(a: KnownTime, b: KnownTime): boolean {
  return (
    a.modTime !== b.modTime &&
    a.etag === b.etag &&
    a.size === b.size &&
    a.fromMs <= b.toMs &&
    b.fromMs <= a.toMs
  );
}

/**
 * What a call returned about an object. Used only for objects stored at least `RACY_MS` before: a younger one may be
 * written again within the same LastModified.
 */
export interface LearnedTime {
  readonly known: KnownTime;
  /**
   * Absent if the object was old enough. Otherwise `known.toMs` is valid only up to `Clock.monotonic` plus this, in
   * milliseconds.
   */
  readonly ageOffsetMs?: number;
}

/** Younger objects are not recorded yet, in milliseconds; git's rule for its own index. */
const RACY_MS = 2000;

/** Last-Modified and Date of HTTP have whole seconds: the event was within this many ms after them. */
const WITHIN_SECOND_MS = 999;

/**
 * The time in a HEAD or GET response (`details`); `undefined` if it lacks ETag, LastModified or Date, or the object
 * is too young. Both times are by the server's clock.
 *
 * @param listed its entry from a listing, perhaps with a more exact LastModified
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
  // An object without a modification time uses LastModified, which a listing may give more exactly than these
  // headers.
  if (exactMs === undefined && details.modTime === storedTime) return undefined;
  return learned(
    details,
    exactMs ?? writtenMs,
    Math.min(exactMs ?? writtenMs + WITHIN_SECOND_MS, newestMs),
    { md5: details.hashes?.md5 },
  );
}

/**
 * The time of an object that a call wrote. Its LastModified is within the call: the end is `written.toldAt`, by the
 * server's clock, the duration by the local one. So the clocks need not agree.
 *
 * @param startMs start of the call, by `Clock.monotonic`
 * @param endMs its end
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

/** The final record when the monotonic clock shows `nowMs`; `undefined` while the object is too young. */
export function settled({ known, ageOffsetMs }: LearnedTime, nowMs: number): KnownTime | undefined {
  if (ageOffsetMs === undefined) return known;
  const toMs = Math.min(known.toMs, Math.floor(nowMs + ageOffsetMs));
  return toMs < known.fromMs ? undefined : { ...known, toMs };
}

/** Whether the object will be old enough later. */
export function isYoung({ known, ageOffsetMs }: LearnedTime, nowMs: number): boolean {
  return ageOffsetMs !== undefined && nowMs + ageOffsetMs < known.toMs;
}

/** LastModified of the listing, if the later response has the same second. */
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
  const known = {
    name,
    size,
    // Otherwise each keeps the head of its response until it is written.
    etag: ownText(etag),
    fromMs,
    toMs,
    modTime,
    ...(md5 === undefined ? {} : { md5 }),
  };
  return { known, ...(more.ageOffsetMs === undefined ? {} : { ageOffsetMs: more.ageOffsetMs }) };
}
