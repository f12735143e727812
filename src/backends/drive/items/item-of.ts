import type { Entry, Op } from '../../../core/remote.ts';
import type { DriveStore } from '../store.ts';
import type { ItemAddress } from './address.ts';

/** Where the content of an entry is: by its id where it has one, else by its path. */
export function addressOf(store: DriveStore, entry: Entry, op: Op): Promise<ItemAddress> {
  const known = idIn(entry);
  if (known === undefined) return store.folders.locate(store.toService(entry.path), op);
  return Promise.resolve({ ...known, rest: '' });
}

/** Where an entry itself is: of a shortcut not what it leads to. */
export async function selfOf(
  store: DriveStore,
  entry: Entry,
  op: Op,
): Promise<{ readonly address: ItemAddress; readonly isShortcut: boolean }> {
  const shortcut = store.folders.shortcutAt(store.toService(entry.path));
  return shortcut === undefined
    ? { address: await addressOf(store, entry, op), isShortcut: false }
    : { address: { ...shortcut, rest: '' }, isShortcut: true };
}

function idIn({ id }: Entry) {
  const [, driveId, itemId] = /^([^#]+)#([^#]+)$/.exec(id ?? '') ?? [];
  return driveId === undefined || itemId === undefined ? undefined : { driveId, id: itemId };
}
