import { type ModTime, modTimeToMs } from '../../core/mod-time.ts';
import type { FileEntry } from '../../core/remote.ts';

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
