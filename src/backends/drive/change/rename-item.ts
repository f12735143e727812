import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { joinPath, parentPath } from '../../../core/remote-path.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import { getItem } from '../items/get-item.ts';
import type { GraphItem } from '../items/graph-item.ts';
import { type ItemAddress, type ItemId, requestPath } from '../items/item-address.ts';
import { timesOf } from '../items/item-entry.ts';
import { differs, OTHER_NAME, wantedAt } from '../items/wanted-item.ts';

interface NewPlace {
  /** On the same drive; absent: the item stays in its folder. */
  readonly folder?: ItemId;
  readonly name: string;
  readonly about: string;
}

/** What is sent with a new name. The times are lost unless they are sent again. */
interface WithRename {
  readonly headers?: Readonly<Record<string, string>>;
  readonly modTime?: bigint;
  readonly times?: GraphItem['fileSystemInfo'];
}

/** Renames or moves an item. Rejects with `already-exists` if the name is taken. */
export async function renameItem(
  store: DriveStore,
  address: ItemAddress,
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
      ...(folder === undefined ? {} : { parentReference: { id: folder.id } }),
      ...(fileSystemInfo === undefined ? {} : { fileSystemInfo }),
    },
    isNaming: true,
    doing: 'move',
    about,
  } as const;
  const wanted = {
    ...(address.rest === '' ? wantedAt(address) : {}),
    name,
    ...(folder === undefined || folder.hasAliases === true ? {} : { folder: folder.id }),
  };
  const { json } = await store.client.call(request, op);
  const wrong = differs(json, wanted);
  if (wrong === undefined) return json;
  const item = await getItem(store.client, after(address, folder, name), about, op);
  if (differs(item, wanted) === undefined) return item;
  // A service that chose another name because this one was taken has not done what was requested.
  if (wrong !== OTHER_NAME) throw badAnswer(request, `the response is inconsistent: ${wrong}`);
  throw new SyncerError('already-exists', `cannot move ${about}: the name is taken`);
}

function after(address: ItemAddress, folder: ItemId | undefined, name: string): ItemAddress {
  if (address.rest === '') return address;
  if (folder !== undefined) return { ...folder, rest: name };
  return { ...address, rest: joinPath(parentPath(address.rest), name) };
}
