import { createHash, hash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, readFileSync, readSync } from 'node:fs';
import { parentPath } from '../../../core/remote-path.ts';
import type { Bucket } from './bucket.ts';
import { plainFile } from './bucket-folder.ts';
import { describesFile, type FileFacts, type ObjectRecord } from './object-record.ts';

/** The current object of a key; a file without a valid record is hashed. `undefined` if there is none. */
export function findObject(bucket: Bucket, key: string): Promise<ObjectRecord | undefined> {
  return withObject(bucket, key, (current) => current);
}

/** As `findObject`; calls `use` in the same turn of the event loop: no other request can change the object before. */
export async function withObject<T>(
  bucket: Bucket,
  key: string,
  use: (current: ObjectRecord | undefined) => T,
): Promise<T> {
  for (;;) {
    const found = lookUp(bucket, key);
    if (found === undefined || !('unknown' in found)) return use(found);
    const learn = () => hashAndRecord(bucket, key, found.unknown);
    const work = bucket.hashing.get(key) ?? learn().finally(() => bucket.hashing.delete(key));
    bucket.hashing.set(key, work);
    await work;
  }
}

/** As `findObject`, without waiting: a file without a valid record is returned as it looks. */
export function lookUp(
  bucket: Bucket,
  key: string,
): ObjectRecord | { readonly unknown: FileFacts } | undefined {
  const { index, folder } = bucket;
  const known = index.keys.has(key);
  if (!known && !mayBeNew(bucket, key)) return undefined;
  const file = index.fileOf(key);
  const stats = folder.fileAt(file);
  if (stats === undefined) {
    if (known) index.remove(key);
    return undefined;
  }
  if (!known) {
    if (!folder.isNamed(file)) return undefined;
    index.keys.add(key);
  }
  return recordOf(bucket, key, stats) ?? { unknown: stats };
}

/** The record that matches a file as it looks now. */
function recordOf(bucket: Bucket, key: string, stats: FileFacts): ObjectRecord | undefined {
  const record = bucket.index.records.get(key);
  return record !== undefined && describesFile(record, stats) ? record : undefined;
}

/** After a crash between a record and its file, the file matches the record before it: that one is valid again. */
export function adoptReplaced(bucket: Bucket, replaced: ObjectRecord): void {
  const { index, folder } = bucket;
  const { key } = replaced;
  if (!index.keys.has(key)) return;
  const stats = folder.fileAt(index.fileOf(key));
  if (stats?.ino !== replaced.ino || !describesFile(replaced, stats)) return;
  if (index.records.get(key)?.ino === stats.ino) return;
  bucket.record({ put: replaced });
  index.put(replaced);
}

/** Whether a key that is not in the index may have an external file. */
function mayBeNew(bucket: Bucket, key: string): boolean {
  if (plainFile(key) === undefined) return false;
  for (let dir = parentPath(key); dir !== ''; dir = parentPath(dir)) {
    if (bucket.index.folders.has(dir)) return true;
    if (!bucket.folder.look(dir)?.isDirectory()) return false;
  }
  return true;
}

/** Hashes a file and stores the result as the record of its key. */
async function hashAndRecord(bucket: Bucket, key: string, seen: FileFacts): Promise<void> {
  const { index, folder } = bucket;
  const before = index.records.get(key);
  const file = index.fileOf(key);
  const fd = folder.openFile(file);
  if (fd === undefined) return;
  const { etag, length } = await hashFile(fd, seen.size);
  const now = folder.fileAt(file);
  const changed =
    now === undefined || !describesFile(seen, now) || index.records.get(key) !== before;
  if (changed || bucket.deleted || index.fileOf(key) !== file) return;
  const { mtimeMs, ino } = seen;
  // One that is shorter cannot be sent.
  const size = Math.max(seen.size, length);
  const modified = Math.floor(mtimeMs);
  const record: ObjectRecord = {
    key,
    file,
    size,
    mtimeMs,
    ino,
    etag,
    modified,
    headers: {},
    ...(size === seen.size ? {} : { toldSize: seen.size }),
    outside: true,
  };
  index.put(record);
  // Where the attributes say a wrong size, they do not show either that the content has changed since.
  if (record.toldSize !== undefined) return;
  try {
    bucket.record({ put: record });
  } catch (error) {
    // A read-only directory is served nevertheless: the hash is known until the server ends.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM') throw error;
  }
}

/** An object whose file is open: it stays readable whatever happens to its name, until the caller closes it. */
export type OpenObject = { readonly record: ObjectRecord; readonly fd: number };

/** Opens the file of the current object of a key; `undefined` if there is none. */
export async function openObject(bucket: Bucket, key: string): Promise<OpenObject | undefined> {
  for (;;) {
    const { index } = bucket;
    if (!index.keys.has(key) && (await findObject(bucket, key)) === undefined) return undefined;
    const fd = bucket.folder.openFile(index.fileOf(key));
    if (fd !== undefined) {
      const stats = fstatSync(fd);
      const record = stats.isFile() ? recordOf(bucket, key, stats) : undefined;
      if (record !== undefined) return { record, fd };
      closeSync(fd);
    }
    if ((await findObject(bucket, key)) === undefined) return undefined;
  }
}

/** MD5 in hexadecimal and length of the content of an open file of a size by its attributes. Closes it. */
async function hashFile(fd: number, told: number): Promise<{ etag: string; length: number }> {
  // Small files are read in one call.
  if (told > 0 && told <= 256 * 1024) {
    let isLonger = false;
    try {
      const content = readFileSync(fd);
      const { length } = content;
      isLonger = length > told || readSync(fd, Buffer.allocUnsafe(1), 0, 1, told) > 0;
      if (!isLonger) return { etag: hash('md5', content), length };
    } finally {
      if (!isLonger) closeSync(fd);
    }
  }
  const md5 = createHash('md5');
  let length = 0;
  for await (const piece of createReadStream('', { fd, start: 0, highWaterMark: 1024 * 1024 })) {
    md5.update(piece);
    length += piece.length;
  }
  return { etag: md5.digest('hex'), length };
}
