import type { ItemId } from './graph-item.ts';

/** Where something is: an item, or a path below one. */
export interface ItemAddress extends ItemId {
  /** Segments as the service knows them, joined by slashes; `''`: the item itself. */
  readonly rest: string;
}

/** The id by which the root of a drive can be named. */
export const ROOT = 'root';

/**
 * The path of a request to an address, below that of the Graph API.
 *
 * @param action what follows: `/children`, `/content`; `''` for the item itself
 */
export function requestPath({ driveId, id, rest }: ItemAddress, action = ''): string {
  const item = id === ROOT ? ROOT : `items/${encodeURIComponent(id)}`;
  const base = `/drives/${encodeURIComponent(driveId)}/${item}`;
  if (rest === '') return base + action;
  const path = rest.split('/').map(encodeSegment).join('/');
  return `${base}:/${path}${action === '' ? '' : `:${action}`}`;
}

/** Percent-encodes a name as RFC 3986 wants it, all but letters, digits and `-._~`. */
function encodeSegment(name: string): string {
  const encode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name.toWellFormed()).replace(/[!'()*]/g, encode);
}
