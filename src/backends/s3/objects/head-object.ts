import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { ASK_FOR_CHECKSUM } from '../checksums.ts';
import type { Location, S3Store } from '../store.ts';
import { hasS3Code, StoreError } from '../store-error.ts';
import type { ListedKey } from '../xml/list-page.ts';
import { askHead } from './ask-head.ts';
import { etagOf, fileEntry, fileFromHeaders, versionIn } from './object-entry.ts';

/** The object at a path with all its stored properties. Rejects with `file-not-found`. */
export async function headObject(
  store: S3Store,
  path: string,
  op: Op,
  listed?: FileEntry,
  more: Readonly<Record<string, string>> = {},
): Promise<FileEntry> {
  if (listed?.kept !== undefined) return listed;
  const { encryption } = store.settings;
  const asked = { ...encryption.keyHeaders, ...more };
  const at = store.locateFile(listed ?? { path });
  const { headers } = await askHead(store.client, { ...at, headers: asked }, op);
  store.listedEtags.learn(at.bucket, headers, etagOf(headers));
  const file = fileFromHeaders(path, headers, encryption.etagIsNotMd5, listed);
  const version = listed?.version ?? (store.showsVersions ? versionIn(headers).version : undefined);
  // A copy would compute the metadata, which few commands need.
  if (listed?.id === undefined && version === undefined) return file;
  return {
    ...file,
    ...(listed?.id === undefined ? {} : { id: listed.id }),
    ...(version === undefined ? {} : { version }),
  };
}

/** A delete marker of a listing has no content. */
export function isDeleteMarker(path: string): SyncerError {
  return new SyncerError('file-not-found', 'object not found: it is a delete marker', { path });
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

/** The object at a path as a listing has it; `undefined` if there is none. */
export async function findListed(
  store: S3Store,
  path: string,
  { bucket, key }: Location,
  op: Op,
): Promise<FileEntry | undefined> {
  const listed = await firstKey(store, bucket, key, op);
  if (listed?.key !== key) return undefined;
  return fileEntry(path, listed, store.etagIsNotMd5(bucket));
}

/** The first key with a prefix; none in a bucket that does not exist. */
export async function firstKey(
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

/** `Capabilities.confirmHashes`: by one HEAD per bucket. */
export function confirmHashes(
  store: S3Store,
  file: FileEntry,
  op: Op,
): FileEntry | Promise<FileEntry> {
  if (!store.hashesInDoubt(file)) return file;
  if (store.etagIsNotMd5(store.bucketOf(file))) return withoutHashes(file);
  return store.settings.noHeadObject ? file : askHashes(store, file, op);
}

async function askHashes(store: S3Store, file: FileEntry, op: Op): Promise<FileEntry> {
  const bucket = store.bucketOf(file);
  await store.listedEtags.ask(bucket, () => headObject(store, file.path, op, file));
  return store.etagIsNotMd5(bucket) ? withoutHashes(file) : file;
}

function withoutHashes({ hashes: _none, ...file }: FileEntry): FileEntry {
  return file;
}
