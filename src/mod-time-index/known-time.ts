import { type ModTime, modTimeToMs } from '../core/mod-time.ts';
import type { FileEntry } from '../core/remote.ts';

/** The modification time of an object, and what a listing shows while the object is the one that has it. */
export interface KnownTime {
  /** The last segment of the object's path. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly etag: string;
  /** The store wrote the object (LastModified) at this time or later, in milliseconds since the epoch. */
  readonly fromMs: number;
  /** And at this time or earlier. */
  readonly toMs: number;
  readonly modTime: ModTime;
  /** The MD5 of the content, hexadecimal, where it is not the ETag. */
  readonly md5?: string;
}

/** Whether a listed file is the object whose time is known. Never where the listing tells no ETag or no LastModified. */
export function isDescribed(known: KnownTime, file: FileEntry): boolean {
  if (known.etag !== file.etag || known.size !== file.size) return false;
  if (file.storedTime === undefined || file.etag === '') return false;
  const storedMs = modTimeToMs(file.storedTime);
  return storedMs >= known.fromMs && storedMs <= known.toMs;
}

/** Whether two could be told of one object and give it different times: then neither is to be believed. */
export function contradict(a: KnownTime, b: KnownTime): boolean {
  return (
    a.modTime !== b.modTime &&
    a.etag === b.etag &&
    a.size === b.size &&
    a.fromMs <= b.toMs &&
    b.fromMs <= a.toMs
  );
}
