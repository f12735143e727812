import type { Entry, FileEntry } from '../../../core/remote.ts';
import { joinPath, parentPath } from '../../../core/remote-path.ts';
import { hasStatus } from '../client/graph-request.ts';
import type { Drive, DriveStore } from '../drive-store.ts';
import { getItem } from './get-item.ts';
import { contentOf, type GraphItem, type ItemAddress, oneForm } from './graph-item.ts';
import { type EntryRules, entryOf, fileOf, metadataOf } from './item-entry.ts';

/** An item as an entry; records what else it shows for later. */
export function tellEntry(drive: Drive, item: GraphItem, path: string, rules: EntryRules): Entry {
  drive.directories.learn(drive.toService(path), item, rules.driveId);
  const entry = entryOf(item, path, rules);
  noteUrl(drive, item, entry);
  return rules.metadata ? { ...entry, metadata: metadataOf(item, rules.driveId) } : entry;
}

/** The file in a response, under the service's spelling of its name. */
export async function tellFile(drive: Drive, item: GraphItem, path: string): Promise<FileEntry> {
  const rules = await drive.entryRules();
  const driveId = item.parentReference?.driveId ?? rules.driveId;
  const name =
    item.name === undefined ? path : joinPath(parentPath(path), drive.toStandard(item.name));
  const entry = fileOf(item, name, { ...rules, driveId });
  noteUrl(drive, item, entry);
  return entry;
}

function noteUrl(drive: Drive, item: GraphItem, { id }: Entry): void {
  const url = contentOf(item)['@microsoft.graph.downloadUrl'];
  if (id !== undefined && url !== undefined) drive.store.downloadUrls.keep(id, url);
}

/** The address of an entry's content: by its id if it has one, else by its path. */
export function addressOf(drive: Drive, entry: Entry): Promise<ItemAddress> {
  const [, driveId, id] = /^([^#]+)#([^#]+)$/.exec(entry.id ?? '') ?? [];
  if (driveId === undefined || id === undefined) {
    return drive.locate(drive.toService(entry.path));
  }
  return Promise.resolve({ driveId: oneForm(driveId), id: oneForm(id), rest: '' });
}

/** The address of an entry itself: of a shortcut, not of its target. */
export async function selfOf(drive: Drive, entry: Entry) {
  const shortcut = drive.directories.shortcutAt(drive.toService(entry.path));
  return shortcut === undefined
    ? { address: await addressOf(drive, entry), isShortcut: false }
    : { address: { ...shortcut, rest: '' }, isShortcut: true };
}

/** Compares the content of two entries, without what `mayDiffer`: `unknown` if no hash decides. */
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
  drive: Drive,
  file: FileEntry,
  change: (condition: Readonly<Record<string, string>>) => Promise<T>,
  isSame: (then: FileEntry, now: FileEntry) => boolean = hasSameContent,
): Promise<T> {
  const { etag } = file;
  if (etag === undefined) return change({});
  try {
    return await change({ 'if-match': etag });
  } catch (thrown) {
    if (!hasStatus(thrown, 412)) throw thrown;
    const item = await getItem(drive, await addressOf(drive, file), file.path);
    const now = await tellFile(drive, item, file.path);
    if (now.etag === undefined || !isSame(file, now)) throw thrown;
    return change({ 'if-match': now.etag });
  }
}

function hasSameContent(then: FileEntry, now: FileEntry): boolean {
  if (then.size !== now.size) return false;
  const hashes = Object.entries(then.hashes ?? {});
  if (hashes.length === 0) return then.modTime === now.modTime;
  return hashes.every(([name, value]) => now.hashes?.[name as 'quickxor'] === value);
}
