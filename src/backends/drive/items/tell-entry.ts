import type { Entry, FileEntry, Op } from '../../../core/remote.ts';
import { joinPath, parentPath } from '../../../core/remote-path.ts';
import type { DriveStore } from '../drive-store.ts';
import { contentOf, type GraphItem } from './graph-item.ts';
import { type ItemAddress, oneForm } from './item-address.ts';
import { type EntryRules, entryOf, fileOf } from './item-entry.ts';
import { metadataOf } from './item-metadata.ts';

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
