import { absentIf } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { Entry, FileEntry } from '../../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../../core/remote-path.ts';
import type { GraphCalls, GraphRequest } from '../client/graph-client.ts';
import { badAnswer, hasStatus, saysMissing } from '../client/graph-error.ts';
import type { Drive, DriveStore } from '../drive-store.ts';
import {
  contentOf,
  type GraphItem,
  type ItemAddress,
  type ItemId,
  isSameId,
  isSameName,
  isSameTime,
  oneForm,
  ROOT,
  requestPath,
} from './graph-item.ts';
import { type EntryRules, entryOf, fileOf, metadataOf, timeOf } from './item-entry.ts';

/** The item at an address. Rejects with `bad-answer` if the response is about another one. */
export async function getItem(
  calls: GraphCalls,
  address: ItemAddress,
  about: string,
): Promise<GraphItem> {
  const request = { method: 'GET', to: requestPath(address), doing: 'look for', about } as const;
  const { json } = await calls.call(request);
  const wrong = differs(json, wantedAt(address));
  if (wrong !== undefined) throw badAnswer(request, `the response is inconsistent: ${wrong}`);
  return json;
}

/** As `getItem`; `undefined` if the service reports that there is none. */
export async function findItem(
  calls: GraphCalls,
  address: ItemAddress,
  about: string,
): Promise<GraphItem | undefined> {
  try {
    return await getItem(calls, address, about);
  } catch (thrown) {
    if (saysMissing(thrown)) return undefined;
    throw thrown;
  }
}

/** `undefined` if it is not visible: a shared item shows its content, and not its parents. */
export function lookAt(calls: GraphCalls, item: ItemId): Promise<GraphItem | undefined> {
  const found = findItem(calls, { ...item, rest: '' }, 'the directory above');
  return found.catch(absentIf('access-denied'));
}

/**
 * The item in the response to `request`, or read if that is not the one wanted. Rejects with `bad-answer` if that is not
 * either.
 *
 * @param address of the item after the request
 */
export async function provenItem(
  calls: GraphCalls,
  told: GraphItem,
  request: GraphRequest,
  address: ItemAddress,
  wanted: WantedItem,
): Promise<GraphItem> {
  if (differs(told, wanted) === undefined) return told;
  const item = await getItem(calls, address, request.about);
  const wrong = differs(item, wanted);
  if (wrong === undefined) return item;
  throw badAnswer(request, `the response is inconsistent: ${wrong}`);
}

/** What a response must say about an item; absent members are not compared. */
export interface WantedItem {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The id of its folder. */
  readonly folder?: string | undefined;
  readonly isFolder?: boolean;
  readonly modTime?: ModTime | undefined;
}

/** The result of `differs` for an item whose only difference is its name. */
export const OTHER_NAME = 'it has another name';

/** How an item differs from the expected one; `undefined` if it does not. */
export function differs(item: GraphItem, wanted: WantedItem): string | undefined {
  const { id, name, folder, isFolder, modTime } = wanted;
  if (typeof item.id !== 'string' || item.id === '') return 'it has no item';
  const isRoot = item.root !== undefined || item.name === ROOT;
  const isIt = id === undefined || (id === ROOT ? isRoot : isSameId(item.id, id));
  if (!isIt) return 'it has another item';
  if (name !== undefined && !isSameName(item.name, name)) return OTHER_NAME;
  const parent = item.parentReference?.id;
  if (folder !== undefined && folder !== ROOT && !isSameId(parent, folder)) {
    return 'it has another directory';
  }
  if (isFolder === true && contentOf(item).folder === undefined) return 'it is not a directory';
  if (modTime === undefined) return undefined;
  return isSameTime(timeOf(item), modTime) ? undefined : 'it has another time';
}

/** The expectations of the item at an address. */
export function wantedAt({ id, rest, hasAliases = false }: ItemAddress): WantedItem {
  const known = hasAliases ? undefined : id;
  if (rest === '') return { id: known };
  return { name: leafName(rest), folder: rest.includes('/') ? undefined : known };
}

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
  if (id !== undefined && url !== undefined) drive.downloadUrls.keep(id, url);
}

/** The address of an entry's content: by its id if it has one, else by its path. */
export function addressOf(drive: Drive, entry: Entry): Promise<ItemAddress> {
  const known = idIn(entry);
  if (known === undefined) return drive.locate(drive.toService(entry.path));
  return Promise.resolve({ ...known, rest: '' });
}

/** The address of an entry itself: of a shortcut, not of its target. */
export async function selfOf(
  drive: Drive,
  entry: Entry,
): Promise<{ readonly address: ItemAddress; readonly isShortcut: boolean }> {
  const shortcut = drive.directories.shortcutAt(drive.toService(entry.path));
  return shortcut === undefined
    ? { address: await addressOf(drive, entry), isShortcut: false }
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
