/** The hashes of a file, as far as the service has them. */
export interface GraphHashes {
  /** Base64. */
  readonly quickXorHash?: string;
  /** Hexadecimal in capitals, as are the following. */
  readonly sha1Hash?: string;
  readonly sha256Hash?: string;
  readonly crc32Hash?: string;
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
  readonly fileSystemInfo?: { readonly lastModifiedDateTime?: string };
  readonly file?: { readonly mimeType?: string; readonly hashes?: GraphHashes };
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

/** Identifies an item, whatever its path. */
export interface ItemId {
  readonly driveId: string;
  readonly id: string;
  /** The item may have a further id, which responses use: that of a shortcut's target, or the one the user named. */
  readonly hasAliases?: boolean;
}

/** The item itself, or the target of a shortcut. */
export function contentOf(item: GraphItem): GraphItem {
  return item.remoteItem ?? item;
}

/**
 * The item to read or write: a shortcut's target.
 *
 * @param driveId of the drive it was found on
 */
export function targetOf(item: GraphItem, driveId: string): ItemId {
  const { remoteItem } = item;
  if (remoteItem?.id === undefined) return { driveId, id: item.id ?? '' };
  const { driveId: remoteDrive = driveId } = remoteItem.parentReference ?? {};
  return { driveId: remoteDrive, id: remoteItem.id, hasAliases: true };
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

/** A file moved aside for another one. */
export interface Displaced {
  /** Of the remote. */
  readonly path: string;
  readonly item: GraphItem;
  readonly address: ItemAddress;
  readonly aside: string;
}

/** An item's ID with its drive's, as one text. */
export function idOf({ driveId, id }: ItemId): string {
  return `${driveId.toLowerCase()}#${id}`;
}
