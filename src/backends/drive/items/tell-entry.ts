import type { Entry, FileEntry, Op } from '../../../core/remote.ts';
import { joinPath, parentPath } from '../../../core/remote-path.ts';
import { hasStatus } from '../client/graph-error.ts';
import type { DriveStore } from '../drive-store.ts';
import { getItem } from './get-item.ts';
import { contentOf, type GraphItem, type ItemAddress, oneForm } from './graph-item.ts';
import { type EntryRules, entryOf, fileOf, metadataOf } from './item-entry.ts';

/** An item as an entry; records what else it shows for later. */
export function tellEntry(
  store: DriveStore,
  item: GraphItem,
  path: string,
  rules: EntryRules,
): Entry {
  store.directories.learn(store.toService(path), item, rules.driveId);
  const entry = entryOf(item, path, rules);
  noteUrl(store, item, entry);
  return rules.metadata ? { ...entry, metadata: metadataOf(item, rules.driveId) } : entry;
}

/** The file in a response, under the service's spelling of its name. */
export async function tellFile(
  store: DriveStore,
  item: GraphItem,
  path: string,
  op: Op,
): Promise<FileEntry> {
  const rules = await store.entryRules(op);
  const driveId = item.parentReference?.driveId ?? rules.driveId;
  const name =
    item.name === undefined ? path : joinPath(parentPath(path), store.toStandard(item.name));
  const entry = fileOf(item, name, { ...rules, driveId });
  noteUrl(store, item, entry);
  return entry;
}

function noteUrl(store: DriveStore, item: GraphItem, { id }: Entry): void {
  const url = contentOf(item)['@microsoft.graph.downloadUrl'];
  if (id !== undefined && url !== undefined) store.downloadUrls.keep(id, url);
}

/** The address of an entry's content: by its id if it has one, else by its path. */
export function addressOf(store: DriveStore, entry: Entry, op: Op): Promise<ItemAddress> {
  const known = idIn(entry);
  if (known === undefined) return store.directories.locate(store.toService(entry.path), op);
  return Promise.resolve({ ...known, rest: '' });
}

/** The address of an entry itself: of a shortcut, not of its target. */
export async function selfOf(
  store: DriveStore,
  entry: Entry,
  op: Op,
): Promise<{ readonly address: ItemAddress; readonly isShortcut: boolean }> {
  const shortcut = store.directories.shortcutAt(store.toService(entry.path));
  return shortcut === undefined
    ? { address: await addressOf(store, entry, op), isShortcut: false }
    : { address: { ...shortcut, rest: '' }, isShortcut: true };
}

function idIn({ id }: Entry) {
  const [, driveId, itemId] = /^([^#]+)#([^#]+)$/.exec(id ?? '') ?? [];
  if (driveId === undefined || itemId === undefined) return undefined;
  return { driveId: oneForm(driveId), id: oneForm(itemId) };
}

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
