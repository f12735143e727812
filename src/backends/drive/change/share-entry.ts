import type { Entry, Op } from '../../../core/remote.ts';
import { badAnswer } from '../client/graph-request.ts';
import { listPages } from '../client/list-pages.ts';
import type { DriveStore } from '../drive-store.ts';
import { requestPath } from '../items/item-address.ts';
import { addressOf } from '../items/tell-entry.ts';
import type { DriveType } from '../settings.ts';
import { deletePart } from './versions.ts';

/** A link to an entry, for anyone or for anyone in the organisation. */
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

/** Deletes all links to an entry. */
export async function unshareEntry(store: DriveStore, entry: Entry, op: Op): Promise<void> {
  const to = requestPath(await addressOf(store, entry, op), '/permissions');
  const about = `links to ${store.told(entry.path)}`;
  const all: Permission[] = [];
  for await (const { items } of listPages(store.client, to, { doing: 'list the', about }, op)) {
    all.push(...(items as readonly Permission[]));
  }
  for (const { id, link } of all) {
    if (id === undefined || link === undefined) continue;
    await deletePart(store, `${to}/${encodeURIComponent(id)}`, { doing: 'remove', about }, op);
  }
}

/** The link to a file's content instead of a page that shows it, in rclone's forms; `undefined` for unknown forms. */
export function directLink(webUrl: string, driveType: DriveType): string | undefined {
  const parts = webUrl.split('/');
  const [, , host, , kind, first, second, share] = parts;
  if (driveType === 'personal') {
    if (parts.length !== 5) return undefined;
    const id = Buffer.from(webUrl).toString('base64url');
    return `https://api.onedrive.com/v1.0/shares/u!${id}/root/content`;
  }
  const page = '_layouts/15/download.aspx?share=';
  if (driveType === 'business' || kind === 'g') {
    return parts.length === 8 ? `https://${host}/${first}/${second}/${page}${share}` : undefined;
  }
  if (parts.length !== 7) return undefined;
  const folder = kind === 't' ? 'teams' : 'sites';
  return kind === 's' || kind === 't'
    ? `https://${host}/${folder}/${first}/${page}${second}`
    : undefined;
}
