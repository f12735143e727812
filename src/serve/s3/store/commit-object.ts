import { closeSync, constants, lstatSync, lutimesSync, writeSync } from 'node:fs';
import { parseDecimalSeconds, splitModTime } from '../../../core/mod-time.ts';
import type { Bucket } from './bucket.ts';
import type { ObjectAttributes, ObjectRecord } from './object-record.ts';
import { placeFile } from './place-file.ts';
import { keepOldVersion, newVersionId } from './versions.ts';

/** Received and verified content, with its attributes. */
export interface NewObject extends ObjectAttributes {
  /** Without quotes. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** An open partial file. */
export interface Temporary {
  /** Its name in the bucket. */
  readonly file: string;
  readonly fd: number;
}

/** Creates an empty partial file. */
export function makeTemporary(bucket: Bucket): Temporary {
  bucket.mustExist();
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  for (let again = false; ; again = true) {
    const file = bucket.folder.temporary();
    try {
      return { file, fd: bucket.folder.open(file, O_RDWR | O_CREAT | O_EXCL) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || again) throw error;
      bucket.folder.forgetHidden();
    }
  }
}

/** Writes small content to a partial file; returns its name in the bucket. */
export function writeTemporary(bucket: Bucket, data: Buffer): string {
  const { file, fd } = makeTemporary(bucket);
  try {
    for (let at = 0; at < data.length; ) at += writeSync(fd, data, at);
  } catch (error) {
    bucket.folder.remove(file);
    throw error;
  } finally {
    closeSync(fd);
  }
  return file;
}

/**
 * Commits a partial file as the object of a key, atomically: readers see the old object or the new one. The partial
 * file is gone afterwards, also when this throws. If the bucket keeps versions, the caller has looked the key up
 * before.
 */
export function commitObject(
  bucket: Bucket,
  key: string,
  temporary: string,
  content: NewObject,
): ObjectRecord {
  try {
    bucket.mustExist();
    setFileTime(bucket.folder.at(temporary), content.headers);
    const { size, mtimeMs, ino } = lstatSync(bucket.folder.at(temporary));
    const versionId = newVersionId(bucket);
    const old = keepOldVersion(bucket, key);
    const record = placeFile(bucket, key, temporary, old.lines, (file) => ({
      ...content,
      key,
      file,
      size,
      mtimeMs,
      ino,
      ...(versionId !== undefined && { versionId }),
    }));
    old.done();
    return record;
  } catch (error) {
    bucket.folder.remove(temporary);
    throw error;
  }
}

/**
 * Changes the attributes of the current object without its content. Only for buckets without versions, and right
 * after the object was looked up.
 */
export function changeAttributes(
  bucket: Bucket,
  record: ObjectRecord,
  attributes: Partial<ObjectAttributes> & { readonly modified?: number },
): ObjectRecord {
  bucket.mustExist();
  const { outside: _, ...known } = record;
  // The headers of an external file come from the file, until a client sets some.
  const changed = { ...(attributes.headers === undefined ? record : known), ...attributes };
  bucket.record({ put: changed });
  bucket.index.put(changed);
  if (
    attributes.headers === undefined ||
    !setFileTime(bucket.folder.at(record.file), attributes.headers)
  )
    return changed;
  const { size, mtimeMs, ino } = lstatSync(bucket.folder.at(record.file));
  const timed = { ...changed, size, mtimeMs, ino };
  bucket.record({ put: timed });
  bucket.index.put(timed);
  return timed;
}

/** So that the directory shows the file's time as the client sent it. */
function setFileTime(path: string | Buffer, headers: ObjectAttributes['headers']): boolean {
  const time = parseDecimalSeconds(headers['x-amz-meta-mtime'] ?? '');
  if (time === undefined) return false;
  const { seconds, nanoseconds } = splitModTime(time);
  // Outside these years file systems truncate times, each in its own way.
  if (seconds <= 0 || seconds > 4_000_000_000) return false;
  const value = seconds + nanoseconds / 1e9;
  lutimesSync(path, value, value);
  return true;
}
