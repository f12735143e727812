import { SyncerError } from '../../../core/errors.ts';
import type { Entry, Op, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { hasStatus, saysMissing } from '../client/graph-error.ts';
import type { GraphRequest } from '../client/graph-request.ts';
import { type Address, requestPath } from '../items/address.ts';
import { contentOf, type GraphItem } from '../items/graph-item.ts';
import { tellEntry } from '../items/tell-entry.ts';
import type { DriveStore } from '../store.ts';

/** Where a listing goes on. */
interface Cursor {
  readonly driveId: string;
  /** What the service gave, to be followed as it is. */
  readonly next: string;
}

/**
 * One page of a directory. A page without entries is not the last one as long as the service names another. Rejects
 * with `directory-not-found`, also where a file is there.
 */
export async function listChildren(
  store: DriveStore,
  dir: string,
  cursor: string | undefined,
  op: Op,
): Promise<Page> {
  const from = cursor === undefined ? undefined : (JSON.parse(cursor) as Cursor);
  const { items, next, driveId } =
    from === undefined
      ? await firstPage(store, dir, op)
      : await readPage(store, new URL(from.next), from.driveId, dir, op);
  const rules = { ...(await store.entryRules(op)), driveId };
  const entries: Entry[] = [];
  for (const item of items) {
    if (item.name === undefined || item.deleted !== undefined || !isShown(store, item)) continue;
    entries.push(tellEntry(store, item, joinPath(dir, store.toStandard(item.name)), rules));
  }
  return next === undefined
    ? { entries }
    : { entries, cursor: JSON.stringify({ driveId, next } satisfies Cursor) };
}

/** Whether an item is one of those to be listed: a notebook only where that is wanted. */
export function isShown({ settings }: DriveStore, item: GraphItem): boolean {
  const content = contentOf(item);
  return content.package?.type?.toLowerCase() !== 'onenote' || settings.showsPackages;
}

interface ItemPage {
  readonly items: readonly GraphItem[];
  readonly next: string | undefined;
  readonly driveId: string;
}

async function firstPage(store: DriveStore, dir: string, op: Op): Promise<ItemPage> {
  const path = store.toService(dir);
  const address = await store.folders.locate(path, op);
  try {
    const page = await readChildren(store, address, dir, op);
    // What has nothing in it may be a file.
    const isKnown = address.rest === '' || page.items.length > 0 || page.next !== undefined;
    if (isKnown) return page;
  } catch (thrown) {
    if (!hasStatus(thrown, 400, 404)) throw thrown;
  }
  // What was known of the path may be out of date, and a shortcut may be on the way.
  store.folders.forget(path);
  const item = await store.folders.look(path, op);
  if (item === undefined || contentOf(item).folder === undefined) throw missing(store, dir);
  return readChildren(store, await store.folders.locate(path, op), dir, op).catch((thrown) => {
    throw saysMissing(thrown) ? missing(store, dir) : thrown;
  });
}

function readChildren(store: DriveStore, address: Address, dir: string, op: Op): Promise<ItemPage> {
  const to = `${requestPath(address, '/children')}?$top=${store.settings.listChunk}`;
  return readPage(store, to, address.driveId, dir, op);
}

async function readPage(
  store: DriveStore,
  to: GraphRequest['to'],
  driveId: string,
  dir: string,
  op: Op,
): Promise<ItemPage> {
  const about = dir === '' ? 'the root' : dir;
  const { json } = await store.client.call({ method: 'GET', to, doing: 'list', about }, op);
  const { value } = json;
  if (!Array.isArray(value)) {
    throw new SyncerError('bad-answer', `cannot list ${about}: the answer is not a listing`);
  }
  const next = json['@odata.nextLink'];
  return { items: value, next: typeof next === 'string' ? next : undefined, driveId };
}

function missing({ root }: DriveStore, dir: string): SyncerError {
  const path = joinPath(root, dir);
  return new SyncerError('directory-not-found', 'directory not found', { path });
}
