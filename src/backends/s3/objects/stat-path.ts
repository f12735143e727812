import type { Entry, FileEntry, Op } from '../../../core/remote.ts';
import { bucketExists } from '../buckets/make-bucket.ts';
import { ASK_FOR_CHECKSUM } from '../checksums/crc32.ts';
import { customerKeyHeaders } from '../encryption.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { hasS3Code, StoreError } from '../store-error.ts';
import type { ListedKey } from '../xml/list-page.ts';
import { askHead } from './ask-head.ts';
import { fileEntry, fileFromHeaders } from './object-entry.ts';

/** The entry at a path: a file, else a directory if keys are below it, else `undefined`. */
export async function statPath(store: S3Store, path: string, op: Op): Promise<Entry | undefined> {
  const location = store.locate(path);
  if (location.bucket === '') return { kind: 'dir', path };
  if (location.key === '') {
    const exists = await bucketExists(store, location.bucket, op);
    return exists ? { kind: 'dir', path, isBucket: true } : undefined;
  }
  const file = await statFile(store, path, location, op);
  return file ?? (await statPrefix(store, path, location, op));
}

/** The file at a path, by HEAD or, if that is not wanted or refused, from a listing. */
async function statFile(
  store: S3Store,
  path: string,
  location: Location,
  op: Op,
): Promise<FileEntry | undefined> {
  if (location.key.endsWith('/')) return undefined;
  if (store.settings.noHeadObject) return findListed(store, path, location, op);
  try {
    return await headObject(store, path, op);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.status === 404) return undefined;
    if (error.status !== 400 && error.status !== 403) throw error;
    // A refused HEAD has no text, and may only mean that the key is missing; a refused listing says why.
    return findListed(store, path, location, op);
  }
}

/** The object at a path with all its stored properties. Rejects with `file-not-found`. */
export async function headObject(
  store: S3Store,
  path: string,
  op: Op,
  listed?: FileEntry,
  more: Readonly<Record<string, string>> = {},
): Promise<FileEntry> {
  const { encryption } = store.settings;
  const asked = { ...customerKeyHeaders(encryption), ...more };
  const at = store.locateFile(listed ?? { path });
  const { headers } = await askHead(store.client, { ...at, headers: asked }, op);
  const file = fileFromHeaders(path, headers, encryption.etagIsNotMd5, listed);
  return listed?.id === undefined ? file : { ...file, id: listed.id };
}

/**
 * As `headObject`, with the CRC-32. Only before reading: of an object encrypted by a key, Amazon reports it only to
 * users who may decrypt it.
 */
export async function headWithChecksum(
  store: S3Store,
  file: FileEntry,
  op: Op,
): Promise<FileEntry> {
  if (!store.integrity.mayAsk) return headObject(store, file.path, op, file);
  try {
    return await headObject(store, file.path, op, file, ASK_FOR_CHECKSUM);
  } catch (error) {
    if (!(error instanceof StoreError) || ![400, 403, 501].includes(error.status)) throw error;
    return headObject(store, file.path, op, file);
  }
}

async function findListed(
  store: S3Store,
  path: string,
  { bucket, key }: Location,
  op: Op,
): Promise<FileEntry | undefined> {
  const listed = await firstKey(store, bucket, key, op);
  if (listed?.key !== key) return undefined;
  return fileEntry(path, listed, store.settings.encryption.etagIsNotMd5);
}

async function statPrefix(
  store: S3Store,
  path: string,
  location: Location,
  op: Op,
): Promise<Entry | undefined> {
  const listed = await firstKey(store, location.bucket, prefixOf(location), op);
  return listed === undefined ? undefined : { kind: 'dir', path };
}

/** The first key with a prefix; none in a bucket that does not exist. */
async function firstKey(
  store: S3Store,
  bucket: string,
  prefix: string,
  op: Op,
): Promise<ListedKey | undefined> {
  const query = { bucket, prefix, byDirectory: false, position: undefined, limit: 1 };
  try {
    return (await store.lister.page(query, op)).keys[0];
  } catch (error) {
    if (hasS3Code(error, 'NoSuchBucket')) return undefined;
    throw error;
  }
}
