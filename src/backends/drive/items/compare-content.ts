import type { FileEntry, Op } from '../../../core/remote.ts';
import { hasStatus } from '../client/graph-error.ts';
import type { DriveStore } from '../drive-store.ts';
import { getItem } from './get-item.ts';
import { addressOf, tellFile } from './tell-entry.ts';

/**
 * Compares the content of two entries: `unknown` if no hash decides.
 *
 * @param mayDiffer what does not count
 */
export function compareContent(
  there: FileEntry,
  file: FileEntry,
  mayDiffer: Partial<DriveStore['mayDiffer']> = {},
): 'same' | 'other' | 'unknown' {
  if (there.isRewritten === true) return 'unknown';
  if (there.size !== file.size && mayDiffer.size !== true) return 'other';
  if (mayDiffer.checksum === true) return 'unknown';
  const both = Object.entries(there.hashes ?? {}).flatMap(([name, value]) => {
    const known = file.hashes?.[name as 'quickxor'];
    return known === undefined ? [] : [known === value];
  });
  if (both.includes(false)) return 'other';
  return both.length > 0 ? 'same' : 'unknown';
}

/**
 * Changes a file if it is still the listed one (`If-Match`). The service also changes files without touching their
 * content: then it is retried. Rejects with `precondition-failed` if the content changed.
 *
 * @param isSame decides whether the content is the same; by default hashes do
 */
export async function onlyIfSame<T>(
  store: DriveStore,
  file: FileEntry,
  op: Op,
  change: (condition: Readonly<Record<string, string>>) => Promise<T>,
  isSame: (then: FileEntry, now: FileEntry) => boolean = hasSameContent,
): Promise<T> {
  const { etag } = file;
  if (etag === undefined) return change({});
  try {
    return await change({ 'if-match': etag });
  } catch (thrown) {
    if (!hasStatus(thrown, 412)) throw thrown;
    const item = await getItem(store.client, await addressOf(store, file, op), file.path, op);
    const now = await tellFile(store, item, file.path, op);
    if (now.etag === undefined || !isSame(file, now)) throw thrown;
    return change({ 'if-match': now.etag });
  }
}

/** Whether the service says so by the tag of the content: hashes of other content may be equal. */
export function hasSameTag(then: FileEntry, now: FileEntry): boolean {
  return then.contentTag !== undefined && then.contentTag === now.contentTag;
}

function hasSameContent(then: FileEntry, now: FileEntry): boolean {
  if (then.size !== now.size) return false;
  const hashes = Object.entries(then.hashes ?? {});
  if (hashes.length === 0) return then.modTime === now.modTime;
  return hashes.every(([name, value]) => now.hashes?.[name as 'quickxor'] === value);
}
