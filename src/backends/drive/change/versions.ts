import type { FileEntry, Op } from '../../../core/remote.ts';
import { badAnswer, type GraphRequest } from '../client/graph-request.ts';
import { listPages } from '../client/list-pages.ts';
import type { DriveStore } from '../drive-store.ts';
import { requestPath } from '../items/item-address.ts';
import { addressOf } from '../items/tell-entry.ts';

/** An earlier version of a file. */
export interface Version {
  readonly id?: string;
  readonly lastModifiedDateTime?: string;
  /** In bytes. */
  readonly size?: number;
}

/** Deletes all versions of a file but the current one. Personal drives do not support it: nothing happens there. */
export async function deleteVersions(store: DriveStore, file: FileEntry, op: Op): Promise<void> {
  const { type } = await store.drive(op);
  if (type === 'personal') return;
  const to = requestPath(await addressOf(store, file, op), '/versions');
  const about = `versions of ${file.path}`;
  for (const { id } of await olderVersions(store, file, op)) {
    if (id === undefined) continue;
    await deletePart(store, `${to}/${encodeURIComponent(id)}`, { doing: 'remove old', about }, op);
  }
}

/** The versions of a file but the current one, newest first. */
async function olderVersions(
  store: DriveStore,
  file: FileEntry,
  op: Op,
): Promise<readonly Version[]> {
  return (await allVersions(store, file, op)).slice(1);
}

/** The versions of a file, newest first; the first is the current one. */
export async function allVersions(
  store: DriveStore,
  file: FileEntry,
  op: Op,
): Promise<readonly Version[]> {
  const to = requestPath(await addressOf(store, file, op), '/versions');
  const asked = { doing: 'list the', about: `versions of ${file.path}` };
  const all: Version[] = [];
  for await (const { items } of listPages(store.client, to, asked, op)) {
    all.push(...(items as readonly Version[]));
  }
  return all;
}

/** Deletes a part of an item: a version, a permission. Rejects with `bad-answer` if the service does not confirm it. */
export async function deletePart(
  store: DriveStore,
  to: string,
  asked: Pick<GraphRequest, 'doing' | 'about'>,
  op: Op,
): Promise<void> {
  const { status } = await store.client.call({ method: 'DELETE', to, ...asked }, op);
  if (status !== 204) throw badAnswer(asked, 'the service did not confirm it');
}
