import { wholeSource } from '../../../core/body.ts';
import { absentIf, hasCode, SyncerError } from '../../../core/errors.ts';
import { modTimeFromMs } from '../../../core/mod-time.ts';
import type { Op } from '../../../core/remote.ts';
import { parentPath } from '../../../core/remote-path.ts';
import { findHead } from '../client/ask.ts';
import { prefixOf, type S3Store } from '../store.ts';
import { putBuffer } from '../upload/put-object.ts';
import { deleteObject } from './delete-files.ts';

/** Creates the missing markers of a directory and of those above it: empty objects whose keys end with a slash. */
export async function makeMarkers(store: S3Store, dir: string, op: Op): Promise<void> {
  for (let at = dir; ; at = parentPath(at)) {
    const place = store.locate(at);
    const { bucket } = place;
    const key = prefixOf(place);
    const known = `${bucket}/${key}`;
    if (bucket === '' || key === '' || store.knownMarkers.has(known)) return;
    const there = await findHead(store.client, { bucket, key }, op).catch(
      absentIf('bucket-not-found'),
    );
    if (there === undefined) {
      const content = Buffer.alloc(0);
      const modTime = modTimeFromMs(store.client.context.clock.now());
      const source = wholeSource({ path: `${at}/`, modTime }, content);
      const mimeType = store.mimeTypeOf(source.path);
      await putBuffer(store, { source, bucket, key, mimeType, md5: undefined }, content, op);
    }
    store.knownMarkers.add(known);
    if (there !== undefined || at === '') return;
  }
}

/**
 * Deletes the marker of an empty directory. Rejects with `not-empty`, also if the marker has content, or
 * `directory-not-found` if it has none; without the option `directory_markers` only for content, as directories that
 * other programs have marked are gone with their last file.
 */
export async function deleteMarker(store: S3Store, dir: string, op: Op): Promise<void> {
  const { directoryMarkers } = store.settings;
  const place = store.locate(dir);
  const { bucket } = place;
  const prefix = prefixOf(place);
  const query = { bucket, prefix, byDirectory: false, position: undefined, limit: 2 };
  const { keys } = await store.lister.page(query, op).catch((error) => {
    if (directoryMarkers || !hasCode(error, 'bucket-not-found')) throw error;
    return { keys: [] };
  });
  const marker = keys.find(({ key }) => key === prefix);
  if (keys.length > 1 || (keys.length === 1 && marker === undefined)) {
    if (!directoryMarkers) return;
    throw new SyncerError('not-empty', `cannot remove ${dir}: it is not empty`, { path: dir });
  }
  if (marker !== undefined && marker.size > 0) {
    const text = `cannot remove ${dir}: its marker ${bucket}/${prefix} is an object with content`;
    throw new SyncerError('not-empty', text, { path: dir });
  }
  if (marker === undefined) {
    if (!directoryMarkers) return;
    throw new SyncerError('directory-not-found', `directory not found: ${dir}`, { path: dir });
  }
  store.knownMarkers.delete(`${bucket}/${prefix}`);
  await deleteObject(store, { bucket, key: prefix }, op);
}
