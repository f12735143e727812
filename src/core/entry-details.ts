import { type ModTime, parseRfc3339 } from './mod-time.ts';

/**
 * The properties of a file besides its content: lower-case names and texts, as in rclone's `--metadata`; bytes that
 * are not UTF-8 as in names.
 */
export type Metadata = Readonly<Record<string, string>>;

/** A copy gets the metadata of its source (`--metadata`). */
export interface KeepMetadata {
  /** Added to it, or replacing values of the same name (`--metadata-set`). */
  readonly set: Metadata;
  /** Applied to the result (`--metadata-mapper`). */
  readonly map?: MapMetadata;
  /** The file counts more: it is there without what cannot be set, and the error is `metadata`. */
  readonly mayFail?: true;
}

/** All metadata of the source, as far as they can be set. */
export const AS_FAR_AS_POSSIBLE: KeepMetadata = { set: {}, mayFail: true };

/** Returns other metadata for the copy of an entry of the source. Rejects with the reason why it cannot. */
export type MapMetadata = (entry: MappedEntry, metadata: Metadata) => Promise<Metadata>;

/** A file or directory whose metadata is copied. */
interface MappedEntry {
  readonly kind: 'file' | 'dir';
  readonly path: string;
  /** In bytes; -1 if unknown. */
  readonly size?: number;
  readonly modTime?: ModTime;
  readonly mimeType?: string;
  readonly id?: string;
  readonly metadata?: Metadata;
}

/** The metadata of the copy of an entry, which has `metadata` if not that of the entry itself. Rejects as `map`. */
export async function copiedMetadata(
  entry: MappedEntry,
  { set, map }: KeepMetadata,
  metadata = entry.metadata,
): Promise<Metadata> {
  const changed = { ...metadata, ...set };
  return map === undefined ? changed : map(entry, changed);
}

/** Whether a copy gets other metadata than its source has. */
export function changesMetadata(keep: KeepMetadata | undefined): boolean {
  return keep !== undefined && (keep.map !== undefined || Object.keys(keep.set).length > 0);
}

/** The modification time in metadata (`mtime`); `undefined` if there is none that can be read. */
export function modTimeIn(metadata: Metadata): ModTime | undefined {
  const text = metadata['mtime'];
  return text === undefined ? undefined : parseRfc3339(text);
}

/**
 * What a server keeps under a path: the current file, an old version of it, a delete marker (the newest one, so that
 * the file is deleted, or an old one), or the parts of an unfinished upload.
 */
export type KeptKind = 'current' | 'old' | 'marker' | 'old-marker' | 'upload';

/** One of several things under the same path. */
export interface Kept {
  readonly kind: KeptKind;
  /** The server's name of the version or upload. */
  readonly id: string;
  /** The number of stored parts of an upload. */
  readonly parts?: number;
}

/** What an entry itself takes on a disk, as `lstat` says. */
export interface DiskUsage {
  /** Of its blocks, in bytes. */
  readonly bytes: number;
  /** Its length, also of a directory; in bytes. */
  readonly size: number;
  /** The device and the inode tell one file from another. */
  readonly device: bigint;
  readonly inode: bigint;
  /** How many names a file has (hard links); 0: several. */
  readonly links: number;
  /** Neither a file nor a directory: a link that is not followed, a socket, a device. */
  readonly isSpecial: boolean;
  /** A directory of another file system that `--one-file-system` leaves out: nothing in it is listed. */
  readonly isForeign?: boolean;
}

/**
 * The entries of a directory with what they take on a disk, each asked for by its number: without an object for each.
 * Valid only while it is being taken.
 */
export interface UsageRows {
  /** The numbers in the order of listings. */
  readonly order: Uint16Array;
  /** Holds the names, from `starts` to `ends`. */
  readonly names: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Of the first entry. */
  readonly device: bigint;
  /** The device of an entry if it is not that of the first. */
  otherDevice(row: number): bigint | undefined;
  isDir(row: number): boolean;
  /** See `DiskUsage` for this, and for what follows. */
  isSpecial(row: number): boolean;
  isForeign(row: number): boolean;
  size(row: number): number;
  bytes(row: number): number;
  /** Puts the inode into an array, without a number between. */
  copyInode(row: number, into: BigUint64Array, at: number): void;
  links(row: number): number;
  /** When it was modified, in milliseconds since the epoch. */
  timeMs(row: number): number;
}

/** Distinguishes the content of a file from any other that was under its name. */
export interface ContentStamp {
  /** Of the content, if the server has one for it; otherwise of the file itself: its inode. */
  readonly tag: string;
  /** When the file was last changed, which no program can set back; absent if the tag changes with the content. */
  readonly changedAt?: ModTime;
}

/** Verifies a multipart upload in parts, in any order: the MD5 of the MD5s of all parts. */
export interface PartsMd5 {
  /** The length of each part but the last, in bytes. Guessed: only a digest that matches proves anything. */
  readonly partLength: number;
  /** In hexadecimal. */
  readonly digest: string;
}

/** The space of a remote, in bytes. */
export interface About {
  readonly total?: number | undefined;
  readonly used?: number | undefined;
  readonly free?: number | undefined;
  readonly trashed?: number | undefined;
  readonly objects?: number | undefined;
}

/** From which size a file is written in several ranges in parallel, and in how many. */
export interface WriteRanges {
  /** In bytes. */
  readonly from: number;
  readonly count: number;
}
