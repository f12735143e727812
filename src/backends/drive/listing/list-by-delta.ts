import type { ChangedItem, Changes } from '../../../core/changes.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { Op, Page } from '../../../core/remote.ts';
import { joinPath } from '../../../core/remote-path.ts';
import { hasStatus } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import { listPages } from '../client/list-pages.ts';
import type { DriveStore } from '../drive-store.ts';
import type { GraphItem } from '../items/graph-item.ts';
import { ROOT, requestPath } from '../items/item-address.ts';
import { entriesOf } from './entries-of.ts';

/** How often an interrupted enumeration is started. */
const TRIES = 3;

/** The service does not enumerate the drive, or not for this account; it may still list its directories. */
const REFUSALS = [400, 403, 404, 405, 410, 501] as const;

/**
 * All directories of the drive with their entries, in far fewer requests than one each; without the targets of
 * shortcuts. `undefined` if the remote is no whole drive, the service refuses, or the response has gaps because
 * something moved: then list the directories one by one.
 */
export async function listByDelta(
  store: DriveStore,
  op: Op,
): Promise<ReadonlyMap<string, Page> | undefined> {
  if (store.root !== '' || store.settings.rootFolderId !== '') return undefined;
  const items = await enumerate(store, op).catch((thrown) => refused(store, thrown));
  if (items === undefined) return undefined;
  const root = [...items.values()].find((item) => item.root !== undefined);
  const children = byParent(items);
  if (root?.id === undefined || children === undefined) return undefined;
  const rules = await store.entryRules(op);
  const pages = new Map<string, Page>();
  const waiting: { readonly id: string; readonly path: string }[] = [{ id: root.id, path: '' }];
  let placed = 1;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const inside = children.get(at.id) ?? [];
    placed += inside.length;
    const page = entriesOf(store, at.path, inside, rules);
    // A directory with fewer entries than its child count is listed by itself.
    if (inside.length >= (items.get(at.id)?.folder?.childCount ?? 0)) pages.set(at.path, page);
    for (const { id, name = '', remoteItem, folder } of inside) {
      if (id === undefined || folder === undefined || remoteItem !== undefined) continue;
      waiting.push({ id, path: joinPath(at.path, store.toStandard(name)) });
    }
  }
  return placed === items.size ? pages : undefined;
}

function refused(store: DriveStore, thrown: unknown): undefined {
  if (!hasStatus(thrown, ...REFUSALS)) throw thrown;
  const event = { code: 'listing-dirs-apart', fields: { why: thrown } } as const;
  store.client.context.emit({ type: 'log', level: 'info', ...event });
}

/** Every item of the drive by its id, in its latest version. */
async function enumerate(store: DriveStore, op: Op): Promise<ReadonlyMap<string, GraphItem>> {
  const { id: driveId } = await store.drive(op);
  for (let tries = 1; ; tries++) {
    try {
      return await enumerateOnce(store, driveId, op);
    } catch (thrown) {
      if (!hasStatus(thrown, 410) || tries >= TRIES) throw thrown;
    }
  }
}

async function enumerateOnce(
  store: DriveStore,
  driveId: string,
  op: Op,
): Promise<ReadonlyMap<string, GraphItem>> {
  const items = new Map<string, GraphItem>();
  const from = `${requestPath({ driveId, id: ROOT, rest: '' }, '/delta')}?$top=${store.settings.listChunk}`;
  const asked = { doing: 'list', about: 'the drive' };
  let isWhole = false;
  for await (const page of listPages(store.client, from, asked, op)) {
    for (const item of page.items as readonly GraphItem[]) {
      if (typeof item.id !== 'string') throw badAnswer(asked, 'an item in the response has no ID');
      if (item.deleted === undefined) items.set(item.id, item);
      else items.delete(item.id);
    }
    isWhole = typeof page.json['@odata.deltaLink'] === 'string';
  }
  if (isWhole) return items;
  throw new SyncerError('body-cut', 'cannot list the drive: pagination never ended');
}

/** `undefined` if an item does not name its parent. */
function byParent(
  items: ReadonlyMap<string, GraphItem>,
): ReadonlyMap<string, readonly GraphItem[]> | undefined {
  const children = new Map<string, GraphItem[]>();
  for (const item of items.values()) {
    if (item.root !== undefined) continue;
    const parent = item.parentReference?.id;
    if (parent === undefined) return undefined;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [item]);
    else siblings.push(item);
  }
  return children;
}

/**
 * The changes since the link that an earlier call returned as token. If the service has dropped it, anything may have
 * changed.
 */
export async function readChanges(
  store: DriveStore,
  token: string | undefined,
  op: Op,
): Promise<Changes> {
  const { id: driveId } = await store.drive(op);
  if (token === undefined) return { token: await latest(store, driveId, op) };
  const items: GraphItem[] = [];
  try {
    const link = await readPages(store, new URL(token), op, items);
    if (items.length === 0) return { token: link, items: [] };
    const root = await store.directories.look(store.toService(''), op);
    return { token: link, items: items.flatMap((item) => changed(item, driveId, root?.id)) };
  } catch (thrown) {
    if (!hasStatus(thrown, 410)) throw thrown;
    return { token: await latest(store, driveId, op) };
  }
}

/** The link for changes from now on. */
function latest(store: DriveStore, driveId: string, op: Op): Promise<string> {
  const path = requestPath({ driveId, id: ROOT, rest: '' }, '/delta');
  return readPages(store, `${path}?token=latest`, op, []);
}

/** Adds all items to `items`; returns the link to continue from. */
async function readPages(
  store: DriveStore,
  from: string | URL,
  op: Op,
  items: GraphItem[],
): Promise<string> {
  const asked = { doing: 'read', about: 'the changes of the drive' };
  let link: unknown;
  for await (const page of listPages(store.client, from, asked, op)) {
    items.push(...(page.items as readonly GraphItem[]));
    link = page.json['@odata.deltaLink'];
  }
  if (typeof link === 'string' && URL.canParse(link)) return link;
  throw badAnswer(asked, 'no link follows');
}

function changed(item: GraphItem, driveId: string, root: string | undefined): ChangedItem[] {
  const { id, parentReference } = item;
  if (id === undefined || item.root !== undefined) return [];
  const parent = parentReference?.id;
  if (parent === undefined) return [{ id: `${driveId}#${id}` }];
  const parentId = parent === root ? '' : `${parentReference?.driveId ?? driveId}#${parent}`;
  return [{ id: `${driveId}#${id}`, parentId }];
}
