import { renameSync } from 'node:fs';
import { parentPath } from '../../../core/remote-path.ts';
import type { Bucket } from './bucket.ts';
import { escapedFile, plainFile } from './key-to-file.ts';
import type { ObjectRecord } from './object-record.ts';
import type { LogLine } from './record-log.ts';

/**
 * Puts a complete file where the object of a key is looked for: under the key as its path, or under the
 * escaped form of it where that cannot be. The record goes into the log first, behind `lines`.
 * @param recordAt the record of the object, for the file it gets
 */
export function placeFile(
  bucket: Bucket,
  key: string,
  temporary: string,
  lines: readonly LogLine[],
  recordAt: (file: string) => ObjectRecord,
): ObjectRecord {
  const { index, folder } = bucket;
  const previous = index.records.get(key);
  try {
    for (const file of placesFor(bucket, key)) {
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

/** The files a key can have now, best first; the parents of the first are made. */
function* placesFor(bucket: Bucket, key: string): Generator<string> {
  const plain = plainFile(key);
  if (plain !== undefined && !bucket.index.hasFolder(plain) && makeParents(bucket, plain)) {
    yield plain;
  }
  yield escapedFile(key);
}

/** Makes the folders a plain file lies in; `false` where something that is no folder stands in the way. */
function makeParents(bucket: Bucket, file: string): boolean {
  const { index, folder } = bucket;
  const dir = parentPath(file);
  if (dir === '' || index.hasFolder(dir)) return true;
  if (!makeParents(bucket, dir)) return false;
  const stats = folder.look(dir);
  if (stats === undefined) folder.makeFolder(dir);
  else if (!stats.isDirectory()) return false;
  index.addFolder(dir);
  return true;
}

/** Renames a file into place; `false` where something else stands there. */
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
      // The folder was removed from outside, or is a hidden one, which are made when they are needed.
      folder.makeFolder(parentPath(file));
    }
  }
}
