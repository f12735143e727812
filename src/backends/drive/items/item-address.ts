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

/** An item's ID with its drive's, as one text: equal for one item, whatever the case of the IDs. */
export function idOf({ driveId, id }: ItemId): string {
  return `${folded(driveId)}#${folded(id)}`;
}

/** IDs of personal drives and, with what follows, of their items; those of other drives begin with `b!`. */
const PERSONAL = /^([0-9a-f]{2,16})(?:!([^!]+))?$/i;

const IN_ONE_FORM = /^[0-9A-F]{16}(?:![^!A-Z]+)?$/;

/**
 * The ID of a drive or an item in the one form that is compared and sent. Personal drives return their IDs in upper and
 * lower case, and without the leading zeros of a drive's 16 digits, which some requests refuse. Other IDs have one form.
 */
export function oneForm(id: string): string {
  if (IN_ONE_FORM.test(id)) return id;
  const [, drive, item] = PERSONAL.exec(id) ?? [];
  if (drive === undefined) return id;
  const digits = drive.toUpperCase().padStart(16, '0');
  return item === undefined ? digits : `${digits}!${item.toLowerCase()}`;
}

/** The form of an ID in which equal ones are compared: a difference in case alone never makes two. */
export function folded(id: string): string {
  return oneForm(id).toLowerCase();
}

/** The parts of a response that hold IDs of items and drives. */
interface WithIds {
  id?: unknown;
  driveId?: unknown;
  readonly parentReference?: WithIds | null;
  readonly remoteItem?: WithIds | null;
}

/** Brings the IDs of an item in a response, or of a list of items, into their one form, in place. */
export function unifyIds(json: Readonly<Record<string, unknown>>): void {
  const { value } = json;
  const items = Array.isArray(value) ? value : [json];
  for (let at = 0; at < items.length; at++) unify(items[at]);
}

function unify(item: WithIds | null | undefined): void {
  if (typeof item !== 'object' || item === null) return;
  const { id, driveId, parentReference, remoteItem } = item;
  // Without a mark it is no item: users, permissions and versions have IDs of their own.
  if (typeof id === 'string' && id.includes('!')) item.id = oneForm(id);
  if (typeof driveId === 'string') item.driveId = oneForm(driveId);
  if (parentReference !== undefined) unify(parentReference);
  if (remoteItem !== undefined) unify(remoteItem);
}
