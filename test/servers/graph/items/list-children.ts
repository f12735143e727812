import type { DriveItem } from '../drive-item.ts';
import { isObject, type JsonObject } from '../graph-call.ts';
import { invalidRequest, notFound } from '../graph-failure.ts';
import type { GraphSettings } from '../graph-settings.ts';
import { existing } from '../item-address.ts';
import { itemJson } from '../item-json.ts';
import type { ItemHandler, ItemRequest } from '../item-request.ts';

/** Where a listing goes on. */
interface Position {
  readonly folder: string;
  /** Last name that was listed, in lower case. */
  readonly after: string;
  /** The empty page before this one was sent. */
  readonly hadEmpty: boolean;
}

/** GET of a folder's children, page by page, by name. */
export const listChildren: ItemHandler = (request) => {
  const folder = existing(request.address);
  if (folder.remote !== undefined) throw notFound('The item lies in another drive.');
  if (folder.children === undefined) return { status: 200, json: { value: [] } };
  const { settings } = request.world;
  const limit = pageLimit(request.call.query.get('$top'), settings);
  const position = readPosition(request.call.query.get('$skiptoken'), folder);
  const names = [...folder.children.keys()].sort();
  const left = position.after === '' ? names : names.filter((name) => name > position.after);
  if (settings.emptyPages && left.length > 0 && !position.hadEmpty) {
    return page(request, [], { ...position, hadEmpty: true });
  }
  const shown = left.slice(0, limit);
  const items = shown.flatMap((name) => folder.children?.get(name) ?? []);
  const after = shown.at(-1) ?? '';
  const more = left.length > shown.length;
  return page(request, items, more ? { ...position, after, hadEmpty: false } : undefined);
};

/** How many items a page has; what the client asks for is a wish. */
export function pageLimit(top: string | null, settings: GraphSettings): number {
  if (top === null) return Math.min(settings.pageSize, settings.maxPageSize);
  if (!/^\d+$/.test(top) || Number(top) < 1) throw invalidRequest('$top is no number above 0.');
  return Math.min(Number(top), settings.maxPageSize);
}

function page(request: ItemRequest, items: readonly DriveItem[], next: Position | undefined) {
  const { call } = request;
  const value = items.map((item) => itemJson(item, request));
  const json: Record<string, unknown> = {
    '@odata.context': `${call.origin}/$metadata#children`,
    '@odata.count': request.address.item?.children?.size ?? 0,
    value,
  };
  if (next !== undefined) {
    const query = new URLSearchParams(call.query);
    query.set('$skiptoken', Buffer.from(JSON.stringify(next)).toString('base64url'));
    // As the service forms it: not the address that was asked for.
    const { settings } = request.world;
    const place = `drives('${request.drive.id}')/items('${request.address.item?.id}')/children`;
    json['@odata.nextLink'] = `${call.origin}${settings.basePath}/${place}?${query}`;
  }
  return { status: 200, json };
}

function readPosition(token: string | null, folder: DriveItem): Position {
  if (token === null) return { folder: folder.id, after: '', hadEmpty: false };
  const position = parse(token);
  const { after, hadEmpty } = position;
  if (position['folder'] !== folder.id || typeof after !== 'string') {
    throw invalidRequest('The $skiptoken is of another listing.');
  }
  return { folder: folder.id, after, hadEmpty: hadEmpty === true };
}

function parse(token: string): JsonObject {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (isObject(value)) return value;
  } catch {
    // Refused below.
  }
  throw invalidRequest('The $skiptoken is none.');
}
