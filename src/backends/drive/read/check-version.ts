import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, ReadRange } from '../../../core/remote.ts';
import { sameContent } from '../../../core/same-content.ts';
import type { DriveStore } from '../drive-store.ts';
import { getItem } from '../items/get-item.ts';
import { addressOf, tellFile } from '../items/tell-entry.ts';

/**
 * Rejects with `source-changed` if a range is of another version than what was read of the file before. Downloads
 * take no condition, and the ETags of their responses need not be those of items: equal ones prove one version, and
 * for others the item is requested.
 *
 * @param tag the ETag of the response
 */
export async function checkVersion(
  store: DriveStore,
  file: FileEntry,
  range: ReadRange | undefined,
  tag: string | undefined,
  op: Op,
): Promise<void> {
  const { id = file.path } = file;
  const known = store.versionsRead.get(id);
  if (known === undefined && range?.continues !== true) {
    store.versionsRead.keep(id, { file, tags: new Set([tag]) });
    return;
  }
  if (range === undefined) return;
  const isKnown = known !== undefined && sameContent(known.file, file);
  if (isKnown && tag !== undefined && known.tags.has(tag)) return;
  const item = await getItem(store.client, await addressOf(store, file, op), file.path, op);
  if (!sameContent(file, await tellFile(store, item, file.path, op))) {
    const text = `${file.path} was replaced since it was listed`;
    throw new SyncerError('source-changed', text, {
      path: file.path,
      advice: 'run the command again',
    });
  }
  if (isKnown) known.tags.add(tag);
  else store.versionsRead.keep(id, { file, tags: new Set([tag]) });
}
