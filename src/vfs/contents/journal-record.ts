import type { FileEntry } from '../../core/remote.ts';

/**
 * What a cached file is.
 *
 * - `open`: it was changed and never closed since: what it holds counts for nothing yet.
 * - `pending`: it was closed, and what it then was has to be uploaded.
 * - `clean`: its bytes are those of the remote.
 */
export type CacheState = 'open' | 'pending' | 'clean';

/** What the journal says of one cached file. Values are as JSON has them. */
export interface JournalRecord {
  /** Names the file that holds the bytes. */
  readonly id: string;
  /** Rises with every record: tells which one a mark of safety is for. */
  readonly number: number;
  readonly path: string;
  readonly state: CacheState;
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly modTime: string;
  /** Which bytes are there, as `RangeSet.edges`; the rest is on the remote. */
  readonly edges: readonly number[];
  /** The object on the remote that it comes from. */
  readonly base?: StoredEntry;
  /** The run of the machine in which it was written: what that run wrote, it reads back. */
  readonly boot: string;
  /** All of a small file that is pending, in base64: it is safe as soon as the journal is. */
  readonly content?: string;
  /** The bytes are on the disk, whatever happens to the machine. */
  readonly safe?: boolean;
  /** When it was last used, in milliseconds since the epoch. */
  readonly used: number;
}

/** One line of the journal. */
export type JournalLine =
  | { readonly put: JournalRecord; readonly gone?: readonly string[] }
  | { readonly gone: readonly string[] }
  /** These records, each with its number, are safe. */
  | { readonly safe: readonly (readonly [id: string, number: number])[] }
  /** A directory has a new name. */
  | { readonly dir: readonly [from: string, to: string] };

/** An entry as JSON has it: what tells its content from another's, and what is needed to read it. */
export interface StoredEntry
  extends Pick<FileEntry, 'path' | 'size' | 'hashes' | 'etag' | 'id' | 'mimeType'> {
  readonly modTime?: string;
  readonly storedTime?: string;
}

/** For the journal. */
export function storeEntry(file: FileEntry): StoredEntry {
  const { path, size, hashes, etag, id, mimeType, modTime, storedTime } = file;
  return {
    path,
    size,
    ...(hashes === undefined ? {} : { hashes }),
    ...(etag === undefined ? {} : { etag }),
    ...(id === undefined ? {} : { id }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(modTime === undefined ? {} : { modTime: String(modTime) }),
    ...(storedTime === undefined ? {} : { storedTime: String(storedTime) }),
  };
}

/** From the journal. */
export function restoreEntry({ modTime, storedTime, ...stored }: StoredEntry): FileEntry {
  return {
    kind: 'file',
    ...stored,
    ...(modTime === undefined ? {} : { modTime: BigInt(modTime) }),
    ...(storedTime === undefined ? {} : { storedTime: BigInt(storedTime) }),
  };
}
