import type { ChangedItem, Changes } from '../../../core/changes.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { Entry, FailedEntry, Page } from '../../../core/remote.ts';
import { joinPath, leafName } from '../../../core/remote-path.ts';
import { type RetryPolicy, requestPolicy, retry } from '../../../core/retry.ts';
import { leadsBack, listPages, readPage } from '../client/graph-client.ts';
import { badAnswer, hasStatus, saysMissing } from '../client/graph-request.ts';
import type { Drive } from '../drive-store.ts';
import {
  contentOf,
  type GraphItem,
  type ItemAddress,
  isSameId,
  isSameName,
  ROOT,
  requestPath,
} from '../items/graph-item.ts';
import type { EntryRules } from '../items/item-entry.ts';
import { tellEntry } from '../items/tell-entry.ts';

/** Where a listing continues. */
interface Cursor {
  readonly driveId: string;
  /** The service's link, followed as it is. */
  readonly next: string;
  /** Id of the folder whose children were listed so far; `undefined` if the pages did not show it. */
  readonly folder: string | undefined;
  /** Pages so far, and the link of an earlier one: pages in a circle come to it again. */
  readonly pages: number;
  readonly mark: string;
}

/** A page of a directory; it may be empty if one follows. Rejects with `directory-not-found`, also for a file. */
export async function listChildren(
  drive: Drive,
  dir: string,
  cursor: string | undefined,
): Promise<Page> {
  const from = cursor === undefined ? undefined : (JSON.parse(cursor) as Cursor);
  const page = from === undefined ? firstPage(drive, dir) : readChildren(drive, dir, from);
  const { items, next, driveId, folder } = await page;
  const told = entriesOf(drive, dir, items, { ...(await drive.entryRules()), driveId });
  if (next === undefined) return told;
  const { pages = 0, mark = '' } = from ?? {};
  if (next === mark) throw leadsBack(asked(dir));
  const isMark = (pages & (pages - 1)) === 0;
  const after: Cursor = { driveId, next, folder, pages: pages + 1, mark: isMark ? next : mark };
  return { ...told, cursor: JSON.stringify(after) };
}

async function firstPage(drive: Drive, dir: string) {
  const path = drive.toService(dir);
  const address = await drive.locate(path);
  try {
    const page = await readChildren(drive, dir, address);
    // An item without children may be a file.
    const isKnown = address.rest === '' || page.items.length > 0 || page.next !== undefined;
    if (isKnown) return page;
  } catch (thrown) {
    if (!hasStatus(thrown, 400, 404)) throw thrown;
  }
  // The known item of the path may be outdated, and a shortcut may be on the way.
  drive.directories.forget(path);
  const item = await drive.look(path);
  if (item === undefined || contentOf(item).folder === undefined) throw missing(drive, dir);
  return readChildren(drive, dir, await drive.locate(path)).catch((thrown) => {
    throw saysMissing(thrown) ? missing(drive, dir) : thrown;
  });
}

/** A page, the first one of an address or a later one. Rejects with `bad-answer` if it lists another directory. */
async function readChildren(drive: Drive, dir: string, from: ItemAddress | Cursor) {
  const isLater = 'next' in from;
  const to = isLater
    ? new URL(from.next)
    : `${requestPath(from, '/children')}?$top=${drive.settings.listChunk}`;
  const { items, next } = await readPage(drive, to, asked(dir));
  let folder = isLater ? from.folder : undefined;
  if (folder === undefined) {
    // Pages without items may come first.
    const address = isLater ? await drive.locate(drive.toService(dir)) : from;
    folder = await folderOf(drive, address, items, dir);
  }
  for (const { parentReference } of items as readonly GraphItem[]) {
    const parent = parentReference?.id;
    if (parent === undefined) continue;
    folder ??= parent;
    if (isSameId(parent, folder)) continue;
    throw badAnswer(asked(dir), 'the response is for another directory');
  }
  return { items, next: next?.href, driveId: from.driveId, folder };
}

/** The id of the folder at an address, if known; requested if the items seem to be in another one. */
async function folderOf(
  drive: Drive,
  { id, rest, hasAliases }: ItemAddress,
  items: readonly GraphItem[],
  dir: string,
): Promise<string | undefined> {
  if (hasAliases === true) return undefined;
  if (rest === '' && id !== ROOT) return id;
  const { path: told, name } = items[0]?.parentReference ?? {};
  const [, below] = told?.split('root:') ?? [];
  let isThere = rest === '' || name === undefined || isSameName(name, leafName(rest));
  if (id === ROOT && below !== undefined) {
    let path = below;
    try {
      path = decodeURIComponent(below);
    } catch {
      // It is not percent-encoded.
    }
    isThere = isSameName(path.slice(1), rest);
  }
  return isThere ? undefined : (await drive.look(drive.toService(dir)))?.id;
}

const asked = (dir: string) => ({ doing: 'list', about: dir === '' ? 'the root' : dir });

function missing({ store }: Drive, dir: string): SyncerError {
  const path = joinPath(store.root, dir);
  return new SyncerError('directory-not-found', 'directory not found', { path });
}

const NO_NAME = /^\.{0,2}$|[/\0]/;

/** The entries of a directory, failed ones for invalid names. Throws `bad-answer` for an item of an unknown type. */
function entriesOf(drive: Drive, dir: string, items: readonly GraphItem[], rules: EntryRules) {
  const entries: Entry[] = [];
  const failed: FailedEntry[] = [];
  for (const item of items) {
    if (item.deleted !== undefined || !isShown(drive, item)) continue;
    const { id, name: told } = item;
    const { folder, package: pack, size } = contentOf(item);
    const hasSize = folder !== undefined || pack !== undefined || (size !== undefined && size >= 0);
    if (typeof id !== 'string' || id === '' || typeof told !== 'string' || !hasSize) {
      const asked = { doing: 'list', about: drive.told(dir) };
      throw badAnswer(asked, 'an item in the response has no ID, name or size');
    }
    const name = drive.toStandard(told);
    const path = joinPath(dir, name);
    if (!NO_NAME.test(told) && !NO_NAME.test(name)) {
      entries.push(tellEntry(drive, item, path, rules));
    } else {
      const text = `the service returned the invalid file name ${JSON.stringify(told)}`;
      failed.push({ path, error: new SyncerError('bad-answer', text, { path }) });
    }
  }
  return failed.length === 0 ? { entries } : { entries, failed };
}

/** Whether an item is listed: a notebook only if the settings say so. */
export function isShown({ settings }: Drive, item: GraphItem): boolean {
  const content = contentOf(item);
  return content.package?.type?.toLowerCase() !== 'onenote' || settings.showsPackages;
}

/** All directories of a whole drive, without targets of shortcuts; `undefined`: list the directories one by one. */
export async function listByDelta(drive: Drive): Promise<ReadonlyMap<string, Page> | undefined> {
  if (drive.store.root !== '' || drive.settings.rootFolderId !== '') return undefined;
  const items = await enumerate(drive).catch((thrown) => {
    // It does not enumerate the drive, or not for this account; it may still list its directories.
    if (!hasStatus(thrown, 400, 403, 404, 405, 410, 501)) throw thrown;
    const event = { code: 'listing-dirs-apart', fields: { why: thrown } } as const;
    drive.client.context.emit({ type: 'log', level: 'info', ...event });
  });
  if (items === undefined) return undefined;
  const all = [...items.values()];
  const root = all.find((item) => item.root !== undefined);
  const below = all.filter((item) => item.root === undefined);
  const children = Map.groupBy(below, ({ parentReference }) => parentReference?.id);
  if (root?.id === undefined || children.has(undefined)) return undefined;
  const rules = await drive.entryRules();
  const pages = new Map<string, Page>();
  const waiting: { readonly id: string; readonly path: string }[] = [{ id: root.id, path: '' }];
  let placed = 1;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const inside = children.get(at.id) ?? [];
    placed += inside.length;
    const page = entriesOf(drive, at.path, inside, rules);
    // A directory with fewer entries than its child count, or without one, is listed by itself.
    const claimed = items.get(at.id)?.folder?.childCount;
    if (typeof claimed === 'number' && inside.length >= claimed) pages.set(at.path, page);
    for (const { id, name = '', remoteItem, folder } of inside) {
      if (id === undefined || folder === undefined || remoteItem !== undefined) continue;
      waiting.push({ id, path: joinPath(at.path, drive.toStandard(name)) });
    }
  }
  return placed === items.size ? pages : undefined;
}

/** Every item of the drive by its id, in its latest version. The service may demand a new start (410) on the way. */
async function enumerate(drive: Drive): Promise<ReadonlyMap<string, GraphItem>> {
  return retry(() => enumerateOnce(drive), {
    tries: 3,
    what: 'list the drive',
    signal: drive.op.signal,
    context: drive.client.context,
    policy: newStart,
  });
}

/** Immediately, and for no other reason. */
const newStart: RetryPolicy = {
  ...requestPolicy,
  mayHelp: (error) => hasStatus(error, 410),
  waitMs: () => undefined,
};

async function enumerateOnce(drive: Drive): Promise<ReadonlyMap<string, GraphItem>> {
  const { id: driveId } = await drive.known();
  const items = new Map<string, GraphItem>();
  const from = `${requestPath({ driveId, id: ROOT, rest: '' }, '/delta')}?$top=${drive.settings.listChunk}`;
  const asked = { doing: 'list', about: 'the drive' };
  let isWhole = false;
  for await (const page of listPages(drive, from, asked)) {
    for (const item of page.items as readonly GraphItem[]) {
      if (typeof item.id !== 'string') {
        throw badAnswer(asked, 'an item in the response has no ID');
      }
      if (item.deleted === undefined) items.set(item.id, item);
      else items.delete(item.id);
    }
    isWhole = typeof page.json['@odata.deltaLink'] === 'string';
  }
  if (isWhole) return items;
  throw new SyncerError('body-cut', 'cannot list the drive: pagination never ended');
}

/** The changes since an earlier call returned the token, a link; unknown ones if the service has dropped it. */
export async function readChanges(drive: Drive, token: string | undefined): Promise<Changes> {
  const { id: driveId } = await drive.known();
  if (token === undefined) return { token: await latest(drive, driveId) };
  const items: GraphItem[] = [];
  try {
    const link = await readPages(drive, new URL(token), items);
    if (items.length === 0) return { token: link, items: [] };
    const root = await drive.look(drive.toService(''));
    return { token: link, items: items.flatMap((item) => changed(item, driveId, root?.id)) };
  } catch (thrown) {
    if (!hasStatus(thrown, 410)) throw thrown;
    return { token: await latest(drive, driveId) };
  }
}

/** The link for changes from now on. */
function latest(drive: Drive, driveId: string): Promise<string> {
  const path = requestPath({ driveId, id: ROOT, rest: '' }, '/delta');
  return readPages(drive, `${path}?token=latest`, []);
}

/** Adds all items to `items`; returns the link to continue from. */
async function readPages(drive: Drive, from: string | URL, items: GraphItem[]): Promise<string> {
  const asked = { doing: 'read', about: 'the changes of the drive' };
  let link: unknown;
  for await (const page of listPages(drive, from, asked)) {
    for (const item of page.items as readonly GraphItem[]) items.push(item);
    link = page.json['@odata.deltaLink'];
  }
  if (typeof link === 'string' && URL.canParse(link)) return link;
  throw badAnswer(asked, 'no link follows');
}

function changed(item: GraphItem, driveId: string, root: string | undefined): ChangedItem[] {
  const { id, parentReference } = item;
  if (typeof id !== 'string') {
    const asked = { doing: 'read', about: 'the changes of the drive' };
    throw badAnswer(asked, 'an item in the response has no ID');
  }
  if (item.root !== undefined) return [];
  const parent = parentReference?.id;
  if (parent === undefined) return [{ id: `${driveId}#${id}` }];
  const parentId = parent === root ? '' : `${parentReference?.driveId ?? driveId}#${parent}`;
  return [{ id: `${driveId}#${id}`, parentId }];
}
