import type { ModTime } from '../../../core/mod-time.ts';
import { foldName } from '../../../core/name-order.ts';
import { leafName } from '../../../core/remote-path.ts';
import { folded, type ItemAddress, type ItemId } from './item-address.ts';

/** The hashes of a file, as far as the service has them. */
export interface GraphHashes {
  /** Base64. */
  readonly quickXorHash?: string;
  /** Hexadecimal in capitals, as are the following. */
  readonly sha1Hash?: string;
  readonly sha256Hash?: string;
  readonly crc32Hash?: string;
}

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

/** A file moved aside for another one. */
export interface Displaced {
  /** Of the remote. */
  readonly path: string;
  readonly item: GraphItem;
  readonly address: ItemAddress;
  readonly aside: string;
}

/** Some drives truncate times to seconds, in nanoseconds. */
const SECOND = 1_000_000_000n;

/** Whether IDs of items, or of drives, mean the same one: case and leading zeros do not count. */
export function isSameId(a: string | undefined, b: string): boolean {
  return a === b || (a !== undefined && folded(a) === folded(b));
}

/** Whether times are equal to the second, as drives keep them. */
export function isSameTime(a: ModTime | undefined, b: ModTime): boolean {
  if (a === undefined) return false;
  return a > b ? a - b <= SECOND : b - a <= SECOND;
}

/**
 * Whether an item may be in the directory at a path, by its `parentReference`. Paths may be percent-encoded: a
 * difference proves nothing.
 *
 * @param fromRoot the path is below the root of the drive
 */
export function mayLieIn(item: GraphItem, path: string, fromRoot: boolean): boolean {
  const { path: told, name } = item.parentReference ?? {};
  const [, below] = told?.split('root:') ?? [];
  if (fromRoot && below !== undefined) return isSameName(decoded(below).slice(1), path);
  return path === '' || name === undefined || isSameName(name, leafName(path));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether names are equal to the service: case and Unicode form do not count. */
export function isSameName(a: string | undefined, b: string): boolean {
  return a !== undefined && foldedName(a) === foldedName(b);
}

function foldedName(name: string): string {
  return foldName(name.normalize('NFC'));
}
