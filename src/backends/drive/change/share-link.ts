import type { Entry, Op } from '../../../core/remote.ts';
import { badAnswer } from '../client/graph-request.ts';
import { listPages } from '../client/list-pages.ts';
import { requestPath } from '../items/address.ts';
import { addressOf } from '../items/item-of.ts';
import type { DriveStore } from '../store.ts';
import { directLink } from './direct-link.ts';
import { removePart } from './remove-part.ts';

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
  if (typeof webUrl !== 'string' || !/^https?:/.test(URL.parse(webUrl)?.protocol ?? '')) {
    throw badAnswer(request, 'the response has no link');
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
  const all: Permission[] = [];
  for await (const { items } of listPages(store.client, to, { doing: 'list the', about }, op)) {
    all.push(...(items as readonly Permission[]));
  }
  for (const { id, link } of all) {
    if (id === undefined || link === undefined) continue;
    await removePart(store, `${to}/${encodeURIComponent(id)}`, { doing: 'remove', about }, op);
  }
}
