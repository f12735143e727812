import { hasCode } from '../../../core/errors.ts';
import type { Entry, FileEntry, Op } from '../../../core/remote.ts';
import { bucketExists } from '../buckets.ts';
import { findShown, hasVersions } from '../listing/shown-versions.ts';
import { type Location, prefixOf, type S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { findListed, firstKey, headObject } from './head-object.ts';

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
  try {
    const file = await statFile(store, path, location, op);
    return file ?? (await statPrefix(store, path, location, op));
  } catch (error) {
    if (!hasCode(error, 'access-denied')) throw error;
    // Some keys may only list what is below a prefix.
    const dir = await statPrefix(store, path, location, op).catch(() => undefined);
    op.signal.throwIfAborted();
    if (dir === undefined) throw error;
    return dir;
  }
}

/** The file at a path, by HEAD or, if that is not wanted or refused, from a listing. */
async function statFile(
  store: S3Store,
  path: string,
  location: Location,
  op: Op,
): Promise<FileEntry | undefined> {
  if (location.key.endsWith('/')) return undefined;
  const { noHeadObject, directoryBucket } = store.settings;
  if (noHeadObject) return findListed(store, path, location, op);
  try {
    return await headObject(store, path, op);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.status === 404) return undefined;
    if (directoryBucket || (error.status !== 400 && error.status !== 403)) throw error;
    // A refused HEAD has no text, and may only mean that the key is missing; a refused listing says why.
    return findListed(store, path, location, op);
  }
}

async function statPrefix(
  store: S3Store,
  path: string,
  location: Location,
  op: Op,
): Promise<Entry | undefined> {
  if (store.showsVersions) {
    return (await hasVersions(store, location, op)) ? { kind: 'dir', path } : undefined;
  }
  const listed = await firstKey(store, location.bucket, prefixOf(location), op);
  return listed === undefined ? undefined : { kind: 'dir', path };
}
