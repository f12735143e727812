import { SyncerError } from '../../../core/errors.ts';
import type { Entry, Op } from '../../../core/remote.ts';
import { requestPath } from '../items/address.ts';
import { addressOf } from '../items/item-of.ts';
import type { DriveStore } from '../store.ts';
import { directLink } from './direct-link.ts';

/** A link to an entry, with which anybody, or anybody of the organisation, can reach it. */
export async function shareEntry(
  store: DriveStore,
  entry: Entry,
  expireMs: number | undefined,
  op: Op,
): Promise<string> {
  const { link, isGlobal } = store.settings;
  const { client } = store;
  const expires =
    expireMs === undefined ? undefined : new Date(client.context.clock.now() + expireMs);
  const request = {
    method: 'POST',
    to: requestPath(await addressOf(store, entry, op), '/createLink'),
    json: {
      type: link.type,
      scope: link.scope,
      ...(link.password === '' ? {} : { password: link.password }),
      ...(expires === undefined ? {} : { expirationDateTime: expires.toISOString() }),
    },
    doing: 'share',
    about: store.told(entry.path),
  } as const;
  const { json } = await client.call(request, op);
  const { webUrl } = (json['link'] ?? {}) as { readonly webUrl?: unknown };
  if (typeof webUrl !== 'string') {
    throw new SyncerError(
      'bad-answer',
      `cannot share ${store.told(entry.path)}: the answer has no link`,
    );
  }
  if (entry.kind === 'dir' || !isGlobal) return webUrl;
  return directLink(webUrl, (await store.drive(op)).type) ?? webUrl;
}

interface Permission {
  readonly id?: string;
  readonly link?: unknown;
}

/** Withdraws all links to an entry. */
export async function unshareEntry(store: DriveStore, entry: Entry, op: Op): Promise<void> {
  const to = requestPath(await addressOf(store, entry, op), '/permissions');
  const about = `links to ${store.told(entry.path)}`;
  const { json } = await store.client.call({ method: 'GET', to, doing: 'list the', about }, op);
  const all = Array.isArray(json['value']) ? (json['value'] as readonly Permission[]) : [];
  for (const { id, link } of all) {
    if (id === undefined || link === undefined) continue;
    const permission = `${to}/${encodeURIComponent(id)}`;
    await store.client.call({ method: 'DELETE', to: permission, doing: 'remove', about }, op);
  }
}
