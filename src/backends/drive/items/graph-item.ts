import { type ModTime, sameModTime } from '../../../core/mod-time.ts';
import { foldName } from '../../../core/name-order.ts';

/** A user, a group or an application. */
interface Identity {
  readonly id?: string;
  readonly displayName?: string;
  readonly email?: string;
}

/** Who did something, or has a permission. */
export interface IdentitySet {
  readonly user?: Identity;
  readonly group?: Identity;
  readonly siteUser?: Identity;
  readonly siteGroup?: Identity;
}

/** An item of a drive (`driveItem`), as far as it matters here. Any part may be missing. */
export interface GraphItem {
  readonly id?: string;
  readonly name?: string;
  readonly size?: number;
  readonly eTag?: string;
  /** Changes with the content only; the content of a folder is its children. */
  readonly cTag?: string;
  /** When the service created it, whatever clients set as its times. */
  readonly createdDateTime?: string;
  readonly lastModifiedDateTime?: string;
  readonly fileSystemInfo?: {
    readonly createdDateTime?: string;
    readonly lastModifiedDateTime?: string;
  };
  readonly createdBy?: IdentitySet;
  readonly lastModifiedBy?: IdentitySet;
  readonly description?: string;
  /** Set if the virus scanner has flagged it. */
  readonly malware?: unknown;
  readonly shared?: {
    readonly owner?: IdentitySet;
    readonly sharedBy?: IdentitySet;
    readonly scope?: string;
    readonly sharedDateTime?: string;
  };
  readonly file?: {
    readonly mimeType?: string;
    /** As far as the service has them. */
    readonly hashes?: {
      /** Base64. */
      readonly quickXorHash?: string;
      /** Hexadecimal in capitals, as are the following. */
      readonly sha1Hash?: string;
      readonly sha256Hash?: string;
      readonly crc32Hash?: string;
    };
  };
  readonly folder?: { readonly childCount?: number };
  /** An item that is not made of bytes, such as a notebook. */
  readonly package?: { readonly type?: string };
  /** A shortcut: its target on another drive. */
  readonly remoteItem?: GraphItem;
  readonly parentReference?: {
    readonly driveId?: string;
    readonly id?: string;
    readonly name?: string;
    /** Percent-encoded on some drives; ends in `/root:` for items in the root. */
    readonly path?: string;
  };
  readonly deleted?: unknown;
  readonly root?: unknown;
  /** Gives anyone access to the content for a while. */
  readonly '@microsoft.graph.downloadUrl'?: string;
}

/** The item itself, or the target of a shortcut. */
export const contentOf = (item: GraphItem): GraphItem => item.remoteItem ?? item;

/** The item to read or write, of a shortcut its target; `driveId` is of the drive it was found on. */
export function targetOf(item: GraphItem, driveId: string): ItemId {
  const { remoteItem } = item;
  if (remoteItem?.id === undefined) return { driveId, id: item.id ?? '' };
  const { driveId: remoteDrive = driveId } = remoteItem.parentReference ?? {};
  return { driveId: remoteDrive, id: remoteItem.id, hasAliases: true };
}

/** A file moved aside for another one. */
export interface Displaced {
  /** Of the remote. */
  readonly path: string;
  readonly item: GraphItem;
  readonly address: ItemAddress;
  readonly aside: string;
}

/** Whether IDs of items, or of drives, mean the same one: case and leading zeros do not count. */
export function isSameId(a: string | undefined, b: string): boolean {
  return a === b || (a !== undefined && folded(a) === folded(b));
}

/** Whether times are equal to the second: some drives truncate them. */
export function isSameTime(a: ModTime | undefined, b: ModTime): boolean {
  return a !== undefined && sameModTime(a, b, 1_000_000_001n);
}

/** Whether names are equal to the service: case and Unicode form do not count. */
export function isSameName(a: string | undefined, b: string): boolean {
  return a !== undefined && foldedName(a) === foldedName(b);
}

const foldedName = (name: string): string => foldName(name.normalize('NFC'));

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

/** The path of a request to an address, below that of the Graph API; `action` follows: `/children`, `/content`. */
export function requestPath({ driveId, id, rest }: ItemAddress, action = ''): string {
  const item = id === ROOT ? ROOT : `items/${encodeURIComponent(id)}`;
  const base = `/drives/${encodeURIComponent(driveId)}/${item}`;
  if (rest === '') return base + action;
  // By RFC 3986: all but letters, digits and `-._~`.
  const encode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  const names = rest.split('/').map((name) => encodeURIComponent(name.toWellFormed()));
  const path = names.join('/').replace(/[!'()*]/g, encode);
  return `${base}:/${path}${action === '' ? '' : `:${action}`}`;
}

/** An item's ID with its drive's, as one text: equal for one item, whatever the case of the IDs. */
export const idOf = ({ driveId, id }: ItemId): string => `${folded(driveId)}#${folded(id)}`;

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
const folded = (id: string): string => oneForm(id).toLowerCase();

/** The parts of a response that hold IDs of items and drives. */
interface WithIds {
  id?: unknown;
  driveId?: unknown;
  readonly parentReference?: WithIds | null;
  readonly remoteItem?: WithIds | null;
}

/** Brings the IDs of an item in a response into their one form, in place. */
export function unifyIds(item: WithIds | null | undefined): void {
  if (typeof item !== 'object' || item === null) return;
  const { id, driveId, parentReference, remoteItem } = item;
  // Without a mark it is no item: users, permissions and versions have IDs of their own.
  if (typeof id === 'string' && id.includes('!')) item.id = oneForm(id);
  if (typeof driveId === 'string') item.driveId = oneForm(driveId);
  if (parentReference !== undefined) unifyIds(parentReference);
  if (remoteItem !== undefined) unifyIds(remoteItem);
}
