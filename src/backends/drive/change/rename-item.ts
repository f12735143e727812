import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { type Address, requestPath } from '../items/address.ts';
import { asItem, type GraphItem } from '../items/graph-item.ts';
import { timesOf } from '../items/times.ts';
import type { DriveStore } from '../store.ts';

/** Where an item goes. */
interface NewPlace {
  /** Id of the folder on the same drive; absent: it stays in its folder. */
  readonly folder?: string;
  readonly name: string;
  /** For messages. */
  readonly about: string;
}

/** What goes along with a new name. The times get lost unless they are told again. */
interface WithRename {
  readonly headers?: Readonly<Record<string, string>>;
  readonly modTime?: bigint;
  readonly times?: GraphItem['fileSystemInfo'];
}

/** Renames or moves an item. Rejects with `already-exists` where the name is taken. */
export async function renameItem(
  store: DriveStore,
  address: Address,
  { folder, name, about }: NewPlace,
  op: Op,
  { headers = {}, modTime, times }: WithRename = {},
): Promise<GraphItem> {
  const fileSystemInfo = timesOf(modTime) ?? times;
  const request = {
    method: 'PATCH',
    to: requestPath(address),
    headers,
    json: {
      name,
      ...(folder === undefined ? {} : { parentReference: { id: folder } }),
      ...(fileSystemInfo === undefined ? {} : { fileSystemInfo }),
    },
    isNaming: true,
    doing: 'move',
    about,
  } as const;
  const item = asItem((await store.client.call(request, op)).json, about);
  // A service that gave it another name because this one was taken has not done what was asked.
  if (item.name === undefined || item.name.toLowerCase() === name.toLowerCase()) return item;
  throw new SyncerError('already-exists', `cannot move ${about}: the name is taken already`);
}

/** Ids of drives are told in capitals or not. */
export function isSameDrive(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
