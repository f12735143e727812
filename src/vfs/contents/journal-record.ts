import { crc32 } from 'node:zlib';
import { defined } from '../../core/defined.ts';
import { jsonObject } from '../../core/json-object.ts';
import type { FileEntry } from '../../core/remote.ts';

/**
 * The state of a cached file.
 *
 * - `open`: changed and not closed since: its changes do not count yet.
 * - `pending`: closed, and its content of that moment has to be uploaded.
 * - `clean`: its bytes are those of the remote.
 */
export type CacheState = 'open' | 'pending' | 'clean';

/** The journal's record of one cached file. Values are as JSON has them. */
export interface JournalRecord {
  /** Names the data file. */
  readonly id: string;
  /** Increases with every record: a `safe` line refers to it. */
  readonly number: number;
  readonly path: string;
  readonly state: CacheState;
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly modTime: string;
  /** Which bytes are local, as `RangeSet.edges`; the rest is on the remote. */
  readonly edges: readonly number[];
  /** The object on the remote that it comes from. */
  readonly base?: StoredEntry;
  /** The boot of the machine in which it was written: what was written since can be read back. */
  readonly boot: string;
  /** The content of a small pending file, in base64: it is safe as soon as the journal is. */
  readonly content?: string;
  /** The bytes are on disk, and survive a power cut. */
  readonly safe?: boolean;
  /** A damaged line after it names its file: it may be out of date. */
  readonly unsure?: boolean;
  /** When it was last used, in milliseconds since the epoch. */
  readonly used: number;
}

/** One line of the journal. */
export type JournalLine =
  | { readonly put: JournalRecord; readonly gone?: readonly string[] }
  | { readonly gone: readonly string[] }
  /** These records, each with its number, are safe. */
  | { readonly safe: readonly (readonly [id: string, number: number])[] }
  /** A directory was renamed. */
  | { readonly dir: readonly [from: string, to: string] };

/** An entry as JSON: what identifies its content, and what is needed to read it. */
export interface StoredEntry
  extends Pick<FileEntry, 'path' | 'size' | 'hashes' | 'etag' | 'contentTag' | 'id' | 'mimeType'> {
  readonly modTime?: string;
  readonly storedTime?: string;
}

/** The stored form of an entry. */
export function storeEntry(file: FileEntry): StoredEntry {
  const { path, size, hashes, etag, contentTag, id, mimeType } = file;
  const [modTime, storedTime] = [file.modTime?.toString(), file.storedTime?.toString()];
  return defined({ path, size, hashes, etag, contentTag, id, mimeType, modTime, storedTime });
}

/** The entry of a stored form. */
export function restoreEntry({ modTime, storedTime, ...stored }: StoredEntry): FileEntry {
  const time = (text: string | undefined) => (text === undefined ? undefined : BigInt(text));
  const times = defined({ modTime: time(modTime), storedTime: time(storedTime) });
  return { kind: 'file', ...stored, ...times };
}

/** Names of data files; nothing that could leave their directory. */
const ID = /^[0-9a-f]{24}$/;

/** A line with its checksum, by which a truncated line is detected. */
export function encodeLine(line: JournalLine): string {
  const text = JSON.stringify(line);
  return `${checksum(text)} ${text}\n`;
}

/** `undefined` for anything but a whole line of a journal. */
export function decodeLine(text: string): JournalLine | undefined {
  const json = text.slice(9);
  if (text.charAt(8) !== ' ' || text.slice(0, 8) !== checksum(json)) return undefined;
  const line = jsonObject<JournalLine>(json);
  return line === undefined || !('put' in line) || isRecord(line.put) ? line : undefined;
}

/** What a damaged line seems to name; nothing for one that could only say that bytes are safe. */
export function idsIn(damaged: string): readonly string[] {
  return damaged.startsWith('{"safe"', 9) ? [] : (damaged.match(/[0-9a-f]{24}/g) ?? []);
}

/** Whether this names a data file. */
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
