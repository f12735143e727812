import { hasCode } from '../../../core/errors.ts';
import type { Entry, FileEntry, Op } from '../../../core/remote.ts';
import { bucketExists } from '../buckets.ts';
import { ASK_FOR_CHECKSUM } from '../checksums.ts';
import { askHead } from '../client/ask.ts';
import { versionPages } from '../listing/history.ts';
import { findShown } from '../listing/shown-versions.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { hasS3Code, refusesForm, StoreError } from '../store-error.ts';
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
  const at = store.locateFile(listed ?? { path });
  const headers = await askHead(store.client, at, op, more);
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

/** As `headObject`, with the CRC-32. Only before reading: with a KMS key only users who may decrypt can ask for it. */
export async function headWithChecksum(store: S3Store, file: FileEntry, op: Op) {
  if (!store.integrity.supports('answers')) return headObject(store, file.path, op, file);
  try {
    return await headObject(store, file.path, op, file, ASK_FOR_CHECKSUM);
  } catch (error) {
    if (!refusesForm(error)) throw error;
    return headObject(store, file.path, op, file);
  }
}

/** The object at a path as a listing has it; `undefined` if there is none. */
async function findListed(store: S3Store, path: string, { bucket, key }: Location, op: Op) {
  const listed = await firstKey(store, bucket, key, op);
  if (listed?.key !== key) return undefined;
  return fileEntry(path, listed, store.etagIsNotMd5(bucket));
}

/** The first key with a prefix; none in a bucket that does not exist. */
async function firstKey(store: S3Store, bucket: string, prefix: string, op: Op) {
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
  const bucket = store.bucketOf(file);
  const confirmed = () => {
    const { hashes: _none, ...bare } = file;
    return store.etagIsNotMd5(bucket) ? bare : file;
  };
  if (store.etagIsNotMd5(bucket) || store.settings.noHeadObject) return confirmed();
  const ask = () => headObject(store, file.path, op, file);
  return store.listedEtags.ask(bucket, ask).then(confirmed);
}

/** The entry at a path: a file, else a directory if keys are below it, else `undefined`. */
export async function statPath(store: S3Store, path: string, op: Op): Promise<Entry | undefined> {
  const location = store.locate(path);
  if (location.bucket === '') return { kind: 'dir', path };
  if (location.key === '') {
    const exists = await bucketExists(store, location.bucket, op);
    return exists ? { kind: 'dir', path, isBucket: true } : undefined;
  }
  const { versionAtMs } = store.settings;
  const version = store.showsVersions ? await findShown(store, path, location, op) : undefined;
  if (version !== undefined) return version;
  if (versionAtMs !== undefined) return statPrefix(store, path, location, op);
  let file: FileEntry | 'missing' | undefined;
  try {
    file = await statFile(store, path, location, op);
    if (typeof file === 'object') return file;
    return await statPrefix(store, path, location, op);
  } catch (error) {
    if (!hasCode(error, 'access-denied')) throw error;
    // Without the right to list only objects can be looked up.
    if (file === 'missing') return undefined;
    // Some keys may only list what is below a prefix.
    const dir = await statPrefix(store, path, location, op).catch(() => undefined);
    op.signal.throwIfAborted();
    if (dir === undefined) throw error;
    return dir;
  }
}

/** The file at a path, by HEAD, which may say that it is missing, or, if that is not wanted or refused, from a listing. */
async function statFile(store: S3Store, path: string, location: Location, op: Op) {
  if (location.key.endsWith('/')) return undefined;
  const { noHeadObject, directoryBucket } = store.settings;
  if (noHeadObject) return findListed(store, path, location, op);
  try {
    return await headObject(store, path, op);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.status === 404) return 'missing';
    if (directoryBucket || !refusesForm(error)) throw error;
    // A refused HEAD has no text, and may only mean that the key is missing; a refused listing says why.
    return findListed(store, path, location, op);
  }
}

async function statPrefix(store: S3Store, path: string, location: Location, op: Op) {
  const dir: Entry = { kind: 'dir', path };
  if (store.showsVersions) {
    const query = { bucket: location.bucket, prefix: prefixOf(location) };
    const pages = versionPages(store, query, op);
    for await (const { versions } of pages) return versions.length > 0 ? dir : undefined;
    return undefined;
  }
  const listed = await firstKey(store, location.bucket, prefixOf(location), op);
  return listed === undefined ? undefined : dir;
}
