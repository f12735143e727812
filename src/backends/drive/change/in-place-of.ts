import { randomBytes } from 'node:crypto';
import { withGrace } from '../../../core/context.ts';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import { foldName } from '../../../core/name-order.ts';
import { joinPath, leafName, parentPath } from '../../../core/remote-path.ts';
import {
  badAnswer,
  GraphError,
  hasStatus,
  LONGEST_NAME,
  LONGEST_PATH,
  saysMissing,
} from '../client/graph-request.ts';
import type { Drive } from '../drive-store.ts';
import { differs, getItem, OTHER_NAME, wantedAt } from '../items/get-item.ts';
import {
  contentOf,
  type Displaced,
  type GraphItem,
  type ItemAddress,
  type ItemId,
  requestPath,
} from '../items/graph-item.ts';
import { timesOf } from '../items/item-entry.ts';
import { deleteItem, noteBinned } from './delete-item.ts';

/** A new item, and the name that it should get. */
export interface Placing {
  readonly id: string;
  /** Gives it the name; rejects with status 409 if the name is taken. */
  readonly put: (drive: Drive) => Promise<GraphItem>;
}

/**
 * Gives an item a name. A file that has it is moved aside first and deleted afterwards; on failure its name is
 * restored, or an error line says where it is. A started replacement is finished if the run is interrupted. Rejects
 * with `not-a-file` if a directory has the name.
 */
export async function inPlaceOf(drive: Drive, path: string, placing: Placing): Promise<GraphItem> {
  try {
    return await placing.put(drive);
  } catch (thrown) {
    if (!hasStatus(thrown, 409)) throw thrown;
  }
  const place = drive.toService(path);
  const there = await drive.look(place);
  // It was deleted since the check.
  if (there === undefined) return placing.put(drive);
  if (contentOf(there).folder !== undefined) {
    throw new SyncerError('not-a-file', `cannot write ${path}: it is a directory`, { path });
  }
  const { driveId } = await drive.locateSelf(place);
  const address = { driveId, id: there.id ?? '', rest: '' };
  const old = { path, item: there, address, aside: asideName(place) };
  drive.op.signal.throwIfAborted();
  const { change } = drive.op;
  return withGrace(drive.op.signal, 10_000, (signal) =>
    exchange(drive.store.for({ signal, ...(change && { change }) }), old, placing),
  );
}

/** Tries again to restore the name of a file. Rejects if it fails again. */
export async function giveBack(drive: Drive, path: string): Promise<void> {
  const key = keyOf(drive, path);
  const old = drive.store.displaced.get(key);
  if (old === undefined) return;
  try {
    await renameBack(drive, old);
  } catch (thrown) {
    // Another client has renamed it, or has taken its name.
    if (!saysMissing(thrown) && !hasStatus(thrown, 409)) throw thrown;
  }
  drive.store.displaced.delete(key);
}

async function exchange(drive: Drive, old: Displaced, placing: Placing): Promise<GraphItem> {
  const { path, address, aside } = old;
  let item: GraphItem | undefined;
  let isAside = false;
  try {
    const times = old.item.fileSystemInfo;
    await renameItem(drive, address, { name: aside, about: path }, { times });
    isAside = true;
    item = await placing.put(drive);
  } catch (thrown) {
    // Whether it may have been carried out.
    const isUnsure =
      !(thrown instanceof GraphError) || thrown.code === 'server' || thrown.afterUnsure;
    if (isAside || isUnsure) item = await undo(drive, old, placing.id);
    if (item === undefined) throw thrown;
  }
  try {
    await deleteItem(drive, address, path);
    await noteBinned(drive, path, address);
  } catch (thrown) {
    // The new file is in place.
    if (!saysMissing(thrown)) tell(drive, 'old-content-kept', old, thrown);
  }
  return item;
}

/** Restores the name of the old file. Resolves to the new item if that has the name after all. */
async function undo(drive: Drive, old: Displaced, newId: string): Promise<GraphItem | undefined> {
  const later = drive.store.for({ signal: AbortSignal.timeout(30_000) });
  try {
    await renameBack(later, old);
  } catch (thrown) {
    if (hasStatus(thrown, 409)) {
      const there = await later.look(later.toService(old.path)).catch(() => undefined);
      if (there?.id === newId) return there;
    }
    if (!saysMissing(thrown)) drive.store.displaced.set(keyOf(drive, old.path), old);
    tell(drive, 'old-content-left', old, thrown);
  }
  return undefined;
}

async function renameBack(drive: Drive, old: Displaced): Promise<void> {
  const place = { name: old.item.name ?? '', about: old.path };
  await renameItem(drive, old.address, place, { times: old.item.fileSystemInfo });
}

const keyOf = (drive: Drive, path: string): string => foldName(drive.toService(path));

function tell(
  drive: Drive,
  code: 'old-content-kept' | 'old-content-left',
  { path, aside }: Displaced,
  thrown: unknown,
): void {
  const fields = { path, as: aside, why: toSyncerError(thrown) };
  drive.client.context.emit({ type: 'log', level: 'error', code, fields });
}

/**
 * Renames or moves an item. Rejects with `already-exists` if the name is taken.
 *
 * @param place `folder`, on the same drive: absent, the item stays in its folder
 * @param sent with the new name: the times are lost unless they are sent again
 */
export async function renameItem(
  drive: Drive,
  address: ItemAddress,
  place: { readonly folder?: ItemId; readonly name: string; readonly about: string },
  sent: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly modTime?: bigint | undefined;
    readonly times?: GraphItem['fileSystemInfo'] | undefined;
  },
): Promise<GraphItem> {
  const { folder, name, about } = place;
  const { headers = {}, modTime, times } = sent;
  const fileSystemInfo = timesOf(modTime) ?? times;
  const request = {
    method: 'PATCH',
    to: requestPath(address),
    headers,
    json: { name, parentReference: folder && { id: folder.id }, fileSystemInfo },
    isNaming: true,
    doing: 'move',
    about,
  } as const;
  const wanted = {
    id: address.rest === '' ? wantedAt(address).id : undefined,
    name,
    folder: folder?.hasAliases === true ? undefined : folder?.id,
  };
  const { json } = await drive.call(request);
  const wrong = differs(json, wanted);
  if (wrong === undefined) return json;
  let after = address;
  if (address.rest !== '') {
    const rest = joinPath(parentPath(address.rest), name);
    after = folder === undefined ? { ...address, rest } : { ...folder, rest: name };
  }
  const item = await getItem(drive, after, about);
  if (differs(item, wanted) === undefined) return item;
  // A service that chose another name because this one was taken has not done what was requested.
  if (wrong !== OTHER_NAME) throw badAnswer(request, `the response is inconsistent: ${wrong}`);
  throw new SyncerError('already-exists', `cannot move ${about}: the name is taken`);
}

/** The name of a file (`path` as the service spells it) while another replaces it; contains its own if that fits. */
export function asideName(path: string): string {
  const mark = `syncer-${randomBytes(6).toString('hex')}.tmp`;
  const name = `${leafName(path)}.${mark}`;
  const isTooLong = name.length > LONGEST_NAME || path.length + mark.length + 1 > LONGEST_PATH;
  return isTooLong ? mark : name;
}

/** The name of a copy until it is complete and gets its final name. */
export const copyName = (): string => `syncer-${randomBytes(6).toString('hex')}.copy`;

/** The file that a name of the service belongs to, with its own name if known; `undefined` for names not made here. */
export function leftUnder(
  name: string,
): { readonly kind: 'copy' | 'aside'; readonly name: string | undefined } | undefined {
  if (/^syncer-[0-9a-f]{12}\.copy$/.test(name)) return { kind: 'copy', name: undefined };
  const aside = /^(?:(.+)\.)?syncer-[0-9a-f]{12}\.tmp$/s.exec(name);
  return aside === null ? undefined : { kind: 'aside', name: aside[1] };
}
