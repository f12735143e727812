import { renameSync } from 'node:fs';
import { parentPath } from '../../../core/remote-path.ts';
import { S3Error } from '../wire/s3-error.ts';
import type { Bucket } from './bucket.ts';
import { escapedFile, plainFile } from './key-to-file.ts';
import type { ObjectRecord } from './object-record.ts';
import type { LogLine } from './record-log.ts';

/**
 * Moves a complete file to the place of a key's object: the key as its path, or its escaped form if that is
 * impossible. The record is written to the log first, after `lines`.
 * @param recordAt the record of the object, for its file
 */
export function placeFile(
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
  if (plain !== undefined && !bucket.index.hasFolder(plain) && makeParents(bucket, plain)) {
    yield plain;
  }
  yield escapedFile(key);
}

/** Creates the directories of a plain file; `false` if something else is in the way. */
function makeParents(bucket: Bucket, file: string): boolean {
  const { index, folder } = bucket;
  const dir = parentPath(file);
  if (dir === '' || index.hasFolder(dir)) return true;
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
