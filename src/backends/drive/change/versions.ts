import type { FileEntry, Op } from '../../../core/remote.ts';
import { requestPath } from '../items/address.ts';
import { addressOf } from '../items/item-of.ts';
import type { DriveStore } from '../store.ts';

interface Version {
  readonly id?: string;
}

/** Removes all versions of a file but the present one. Personal drives cannot do it: nothing happens there. */
export async function removeVersions(store: DriveStore, file: FileEntry, op: Op): Promise<void> {
  const { type } = await store.drive(op);
  if (type === 'personal') return;
  const to = requestPath(await addressOf(store, file, op), '/versions');
  const about = `versions of ${file.path}`;
  const { json } = await store.client.call({ method: 'GET', to, doing: 'list the', about }, op);
  const all = Array.isArray(json['value']) ? (json['value'] as readonly Version[]) : [];
  for (const { id } of all.slice(1)) {
    if (id === undefined) continue;
    const version = `${to}/${encodeURIComponent(id)}`;
    await store.client.call({ method: 'DELETE', to: version, doing: 'remove old', about }, op);
  }
}
