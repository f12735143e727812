/** Identifies an item, whatever its path. */
export interface ItemId {
  readonly driveId: string;
  readonly id: string;
  /** The item may have a further id, which responses use: that of a shortcut's target, or the one the user named. */
  readonly hasAliases?: boolean;
}

/** The address of an item: an id, or a path below one. */
export interface ItemAddress extends ItemId {
  /** Segments as the service spells them, joined by slashes; `''`: the item itself. */
  readonly rest: string;
}

/** The id of the root of a drive. */
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

/** Percent-encodes a name by RFC 3986: all but letters, digits and `-._~`. */
function encodeSegment(name: string): string {
  const encode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name.toWellFormed()).replace(/[!'()*]/g, encode);
}

/** An item's ID with its drive's, as one text. */
export function idOf({ driveId, id }: ItemId): string {
  return `${driveId.toLowerCase()}#${id}`;
}
