import { SyncerError } from '../../../core/errors.ts';
import type { Op, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { hasStatus, saysMissing } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import { type GraphPage, leadsBack, readPage } from '../client/list-pages.ts';
import type { DriveStore } from '../drive-store.ts';
import { contentOf, type GraphItem, isSameId, mayLieIn } from '../items/graph-item.ts';
import { type ItemAddress, ROOT, requestPath } from '../items/item-address.ts';

import { entriesOf } from './entries-of.ts';

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

/**
 * One page of a directory; it may be empty if there is a next one. Rejects with `directory-not-found`, also for a
 * file.
 */
export async function listChildren(
  store: DriveStore,
  dir: string,
  cursor: string | undefined,
  op: Op,
): Promise<Page> {
  const from = cursor === undefined ? undefined : (JSON.parse(cursor) as Cursor);
  const page =
    from === undefined ? await firstPage(store, dir, op) : await laterPage(store, from, dir, op);
  const { items, next, driveId, folder } = page;
  const told = entriesOf(store, dir, items, { ...(await store.entryRules(op)), driveId });
  if (next === undefined) return told;
  const { pages = 0, mark = '' } = from ?? {};
  if (next === mark) throw leadsBack(asked(dir));
  const isMark = (pages & (pages - 1)) === 0;
  const after: Cursor = { driveId, next, folder, pages: pages + 1, mark: isMark ? next : mark };
  return { ...told, cursor: JSON.stringify(after) };
}

interface ItemPage {
  readonly items: readonly GraphItem[];
  readonly next: string | undefined;
  readonly driveId: string;
  readonly folder: string | undefined;
}

async function laterPage(
  store: DriveStore,
  { next, driveId, folder }: Cursor,
  dir: string,
  op: Op,
): Promise<ItemPage> {
  const page = await readPage(store.client, new URL(next), asked(dir), op);
  if (folder !== undefined) return checked(page, { driveId, folder }, dir);
  // Pages without items may come first.
  const address = await store.directories.locate(store.toService(dir), op);
  const found = await folderOf(store, address, page.items, dir, op);
  return checked(page, { driveId, folder: found }, dir);
}

async function firstPage(store: DriveStore, dir: string, op: Op): Promise<ItemPage> {
  const path = store.toService(dir);
  const address = await store.directories.locate(path, op);
  try {
    const page = await readChildren(store, address, dir, op);
    // An item without children may be a file.
    const isKnown = address.rest === '' || page.items.length > 0 || page.next !== undefined;
    if (isKnown) return page;
  } catch (thrown) {
    if (!hasStatus(thrown, 400, 404)) throw thrown;
  }
  // The known item of the path may be outdated, and a shortcut may be on the way.
  store.directories.forget(path);
  const item = await store.directories.look(path, op);
  if (item === undefined || contentOf(item).folder === undefined) throw missing(store, dir);
  return readChildren(store, await store.directories.locate(path, op), dir, op).catch((thrown) => {
    throw saysMissing(thrown) ? missing(store, dir) : thrown;
  });
}

async function readChildren(
  store: DriveStore,
  address: ItemAddress,
  dir: string,
  op: Op,
): Promise<ItemPage> {
  const to = `${requestPath(address, '/children')}?$top=${store.settings.listChunk}`;
  const page: GraphPage = await readPage(store.client, to, asked(dir), op);
  const folder = await folderOf(store, address, page.items, dir, op);
  return checked(page, { driveId: address.driveId, folder }, dir);
}

/** The id of the folder at an address, if known; requested if the items seem to be in another one. */
async function folderOf(
  store: DriveStore,
  { id, rest, hasAliases }: ItemAddress,
  items: readonly GraphItem[],
  dir: string,
  op: Op,
): Promise<string | undefined> {
  if (hasAliases === true) return undefined;
  if (rest === '' && id !== ROOT) return id;
  const [first] = items;
  const isThere = first === undefined || mayLieIn(first, rest, id === ROOT);
  return isThere ? undefined : (await store.directories.look(store.toService(dir), op))?.id;
}

/** Throws `bad-answer` if a page lists items of another directory. */
function checked(
  { items, next }: { readonly items: readonly GraphItem[]; readonly next: URL | undefined },
  { driveId, folder }: Pick<ItemPage, 'driveId' | 'folder'>,
  dir: string,
): ItemPage {
  let known = folder;
  for (const { parentReference } of items) {
    const parent = parentReference?.id;
    if (parent === undefined) continue;
    known ??= parent;
    if (isSameId(parent, known)) continue;
    throw badAnswer(asked(dir), 'the response is for another directory');
  }
  return { items, next: next?.href, driveId, folder: known };
}

function asked(dir: string) {
  return { doing: 'list', about: dir === '' ? 'the root' : dir };
}

function missing({ root }: DriveStore, dir: string): SyncerError {
  const path = joinPath(root, dir);
  return new SyncerError('directory-not-found', 'directory not found', { path });
}
