import { constants, linkSync, lstatSync, lutimesSync, renameSync, unlinkSync } from 'node:fs';
import { parseDecimalSeconds, splitModTime } from '../../../core/mod-time.ts';
import { parentPath } from '../../../core/remote-path.ts';
import { S3Error } from '../wire/s3-error.ts';
import type { Bucket } from './bucket.ts';
import { escapedFile, HIDDEN, plainFile } from './bucket-folder.ts';
import { lookUp } from './find-object.ts';
import {
  type LogLine,
  type ObjectAttributes,
  type ObjectRecord,
  type OldVersion,
  versionIdOf,
} from './object-record.ts';
import { keepOldVersion, newVersionId, replaceHistory } from './versions.ts';

/** Received and verified content, with its attributes. */
export interface NewObject extends ObjectAttributes {
  /** Without quotes. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** Creates an empty partial file, which is open; `file` is its name in the bucket. */
export function makeTemporary(bucket: Bucket) {
  bucket.mustExist();
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  const { folder } = bucket;
  const flags = O_RDWR | O_CREAT | O_EXCL;
  return folder.makeTemporary((file) => ({ file, fd: folder.open(file, flags) }));
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

/** Changes the attributes of the current object, right after it was looked up. Only for buckets without versions. */
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
  const { headers } = attributes;
  if (headers === undefined || !setFileTime(bucket.folder.at(record.file), headers)) return changed;
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

/** Moves a complete file to the place of a key's object. Its record, by `recordAt`, is logged first, after `lines`. */
function placeFile(
  bucket: Bucket,
  key: string,
  temporary: string,
  lines: readonly LogLine[],
  recordAt: (file: string) => ObjectRecord,
): ObjectRecord {
  const { index, folder } = bucket;
  const isNew = !index.keys.has(key);
  const previous = index.records.get(key);
  try {
    for (const file of placesFor(bucket, key)) {
      if (isNew && folder.look(file) !== undefined) refuseOtherCase(bucket, file);
      const record = recordAt(file);
      bucket.record(...lines, { put: record });
      if (!moveInto(bucket, temporary, file)) continue;
      const former = index.keys.has(key) ? index.fileOf(key) : file;
      index.put(record);
      if (former !== file) folder.remove(former);
      return record;
    }
    throw new Error('the directory cannot store the key');
  } catch (error) {
    if (previous !== undefined) bucket.record({ put: previous });
    throw error;
  }
}

/** Throws if an entry that is there has the path only on a disk that ignores case: it belongs to a key in other letters. */
function refuseOtherCase({ folder }: Bucket, path: string): void {
  if (folder.isNamed(path)) return;
  throw new S3Error('InvalidRequest', {
    status: 409,
    message: `The disk ignores case: ${path} has the place of a key in other letters.`,
  });
}

/** The files a key can have now, best first; creates the parents of the first. */
function* placesFor(bucket: Bucket, key: string): Generator<string> {
  const plain = plainFile(key);
  if (plain !== undefined && !bucket.index.folders.has(plain) && makeParents(bucket, plain)) {
    yield plain;
  }
  yield escapedFile(key);
}

/** Creates the directories of a plain file; `false` if something else is in the way. */
function makeParents(bucket: Bucket, file: string): boolean {
  const { index, folder } = bucket;
  const dir = parentPath(file);
  if (dir === '' || index.folders.has(dir)) return true;
  if (!makeParents(bucket, dir)) return false;
  const stats = folder.look(dir);
  if (stats === undefined) folder.makeFolder(dir);
  else if (!stats.isDirectory()) return false;
  else refuseOtherCase(bucket, dir);
  index.addFolder(dir);
  return true;
}

/** Renames a file into place; `false` if something else is there. */
function moveInto(bucket: Bucket, temporary: string, file: string): boolean {
  const { folder } = bucket;
  for (let again = false; ; again = true) {
    try {
      renameSync(folder.at(temporary), folder.at(file));
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EISDIR' || code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') {
        return false;
      }
      if (code !== 'ENOENT' || again) throw error;
      // The directory was deleted externally, or is a hidden one, which are created on demand.
      folder.makeFolder(parentPath(file));
    }
  }
}

/** The version that was deleted, or the new delete marker; whether that version is a delete marker. */
export type Removed = { readonly versionId?: string; readonly marker?: boolean };

/** Deletes the current object of a key; a missing one is no error. With versioning it becomes an old version. */
export function removeObject(bucket: Bucket, key: string): Removed {
  bucket.mustExist();
  const found = lookUp(bucket, key);
  const versionId = newVersionId(bucket);
  if (versionId === undefined) {
    if (found !== undefined) removeCurrent(bucket, key);
    return {};
  }
  const marker: OldVersion = { marker: true, versionId, modified: Date.now() };
  const old = keepOldVersion(bucket, key, marker);
  bucket.record(...old.lines);
  if (found !== undefined) removeCurrent(bucket, key);
  old.done();
  return { versionId, marker: true };
}

/** Deletes one version of a key permanently; if it is the current one, the one before it is restored. */
export function removeVersion(bucket: Bucket, key: string, versionId: string): Removed {
  bucket.mustExist();
  const found = lookUp(bucket, key);
  const history = bucket.history.get(key) ?? [];
  const current = found !== undefined && 'key' in found ? versionIdOf(found) : 'null';
  if (found !== undefined && current === versionId) {
    const [next] = history;
    if (next === undefined || next.marker) removeCurrent(bucket, key);
    else bringBack(bucket, key, next.record, history);
    return { versionId };
  }
  const version = history.find((each) => each.versionId === versionId);
  if (version === undefined) return { versionId };
  const rest = history.filter((each) => each !== version);
  const [latest] = rest;
  if (version.marker && version === history[0] && found === undefined && latest && !latest.marker) {
    bringBack(bucket, key, latest.record, rest);
  } else {
    replaceHistory(bucket, key, rest, [version]);
  }
  return version.marker ? { versionId, marker: true } : { versionId };
}

/** Makes the newest old version the current one again. `history` starts with it. */
function bringBack(bucket: Bucket, key: string, old: ObjectRecord, history: readonly OldVersion[]) {
  const temporary = bucket.folder.temporary();
  linkSync(bucket.folder.at(old.file), bucket.folder.at(temporary));
  placeFile(bucket, key, temporary, [], (file) => ({ ...old, file }));
  replaceHistory(bucket, key, history.slice(1), history.slice(0, 1));
}

/** Deletes the file of the current object, and the directories that become empty. */
function removeCurrent(bucket: Bucket, key: string): void {
  const { index, folder } = bucket;
  const file = index.fileOf(key);
  try {
    unlinkSync(folder.at(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  bucket.record({ del: key });
  index.remove(key);
  for (let dir = parentPath(file); dir !== '' && !dir.startsWith(HIDDEN); dir = parentPath(dir)) {
    if (index.hasKeysIn(dir)) return;
    try {
      folder.removeFolder(dir);
    } catch {
      return;
    }
    index.folders.delete(dir);
  }
}
