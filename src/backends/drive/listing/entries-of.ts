import { SyncerError } from '../../../core/errors.ts';
import type { Entry, FailedEntry, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import { contentOf, type GraphItem } from '../items/graph-item.ts';
import type { EntryRules } from '../items/item-entry.ts';
import { tellEntry } from '../items/tell-entry.ts';

/**
 * The entries of a directory. A name that no file can have is a failed entry. Throws `bad-answer` for an item of an
 * unknown type.
 */
export function entriesOf(
  store: DriveStore,
  dir: string,
  items: readonly GraphItem[],
  rules: EntryRules,
): Pick<Page, 'entries' | 'failed'> {
  const entries: Entry[] = [];
  const failed: FailedEntry[] = [];
  for (const item of items) {
    if (item.deleted !== undefined || !isShown(store, item)) continue;
    const name = nameOf(store, dir, item);
    const path = joinPath(dir, name);
    if (isName(item.name) && isName(name)) entries.push(tellEntry(store, item, path, rules));
    else failed.push({ path, error: badName(path, item) });
  }
  return failed.length === 0 ? { entries } : { entries, failed };
}

/** Whether an item is listed: a notebook only if the settings say so. */
export function isShown({ settings }: DriveStore, item: GraphItem): boolean {
  const content = contentOf(item);
  return content.package?.type?.toLowerCase() !== 'onenote' || settings.showsPackages;
}

function nameOf(store: DriveStore, dir: string, item: GraphItem): string {
  const { id, name } = item;
  const { folder, package: pack, size } = contentOf(item);
  const hasSize = folder !== undefined || pack !== undefined || (size !== undefined && size >= 0);
  if (typeof id === 'string' && id !== '' && typeof name === 'string' && hasSize) {
    return store.toStandard(name);
  }
  const asked = { doing: 'list', about: store.told(dir) };
  throw badAnswer(asked, 'an item in the response has no ID, name or size');
}

function isName(name = ''): boolean {
  return !/^\.{0,2}$|[/\0]/.test(name);
}

function badName(path: string, { name = '' }: GraphItem): SyncerError {
  const text = `the service returned the invalid file name ${JSON.stringify(name)}`;
  return new SyncerError('bad-answer', text, { path });
}
