import type { ChangedItem, Changes } from '../../../core/changes.ts';
import type { Op } from '../../../core/remote.ts';
import { hasStatus } from '../client/graph-error.ts';
import { badAnswer } from '../client/graph-request.ts';
import { listPages } from '../client/list-pages.ts';
import type { DriveStore } from '../drive-store.ts';
import { type GraphItem, ROOT, requestPath } from '../items/graph-item.ts';

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
