import { crc32 } from 'node:zlib';
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
  /** Rises with every record: a `safe` line names it. */
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

/** An entry as JSON has it: what identifies its content, and what is needed to read it. */
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

/** Names of files with bytes, and nothing that could lead out of their folder. */
const ID = /^[0-9a-f]{24}$/;

/** A line with its checksum, by which a truncated line is found. */
export function encodeLine(line: JournalLine): string {
  const text = JSON.stringify(line);
  return `${checksum(text)} ${text}\n`;
}

/** `undefined` for what is not a whole line of a journal. */
export function decodeLine(text: string): JournalLine | undefined {
  const json = text.slice(9);
  if (text.charAt(8) !== ' ' || text.slice(0, 8) !== checksum(json)) return undefined;
  try {
    const line = JSON.parse(json) as JournalLine;
    return !('put' in line) || isRecord(line.put) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Whether this names a file with bytes. */
export function isCacheId(name: string): boolean {
  return ID.test(name);
}

function isRecord(record: JournalRecord): boolean {
  return (
    isCacheId(record.id) &&
    typeof record.path === 'string' &&
    Number.isSafeInteger(record.size) &&
    Array.isArray(record.edges) &&
    /^-?\d+$/.test(record.modTime) &&
    ['undefined', 'string'].includes(typeof record.content)
  );
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
