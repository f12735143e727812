import type { KeptAs } from '../../core/change-details.ts';
import { defined } from '../../core/defined.ts';
import type { Metadata } from '../../core/entry-details.ts';
import { formatRfc3339NanoUtc, parseRfc3339 } from '../../core/mod-time.ts';
import type { FileEntry } from '../../core/remote.ts';

/** What identifies the content of a file: only what is known without another request. */
export interface FileMark {
  /** In bytes; -1 if unknown. */
  readonly size: number;
  /** The modification time in RFC 3339; as it is written, in nanoseconds since the epoch. */
  readonly time?: string;
  readonly etag?: string;
  readonly version?: string;
  readonly id?: string;
}

/** Where the old content is: in the trash, at a place of the run (a backup, the target of a move), or as `KeptAs`. */
export type KeptFile =
  | KeptAs
  | { readonly in: 'trash'; readonly path: string }
  | { readonly in: 'place'; readonly place: number; readonly path: string };

export type JournalVerb =
  | 'create'
  | 'replace'
  | 'delete'
  | 'move'
  | 'set-time'
  | 'make-dir'
  | 'remove-dir';

/** A change, noted before it is made. */
export interface ChangeLine {
  /** Its number in the run, from 1. */
  readonly n: number;
  /** The number of its place; see `PlaceLine`. */
  readonly place: number;
  readonly do: JournalVerb;
  readonly path: string;
  /** `move`: where the file or directory was before. */
  readonly from?: { readonly place: number; readonly path: string };
  /** It is a directory; a `delete` of one deletes all below it. */
  readonly dir?: true;
  /** The path of the file before, if its letters differed, on places where these are one name. */
  readonly was?: string;
  /** The file before; `unknown`: there may have been one. */
  readonly old?: FileMark | 'unknown';
  /** The file after the change, as expected. */
  readonly new?: FileMark;
  readonly kept?: KeptFile;
}

/** A new file as a `CreatedLine` has it: path, size in bytes, and time as in `FileMark`. */
export type NewFileMark = readonly [path: string, size: number, time: string];

/** New files of which nothing else is known, numbered from `n`: shorter than a line for each. */
export interface CreatedLine {
  readonly n: number;
  readonly place: number;
  readonly created: NewFileMark[];
}

/** The result of one change; a change without one may or may not have been made. */
export interface DoneLine {
  readonly n: number;
  readonly ok: boolean;
  readonly new?: FileMark;
  readonly kept?: KeptFile;
}

/** A remote that the run changes, noted before its first change. */
export interface PlaceLine {
  readonly place: number;
  readonly run?: string;
  /** The name that the run gave it; equal names are the same remote with the same options. */
  readonly name: string;
  /** Absolute on disks. */
  readonly root: string;
  readonly title: string;
  readonly storeId?: string;
  /** Symbolic links are shown as files. */
  readonly links?: true;
  /** Where the trash of this place is, if the run has one; below the root of the same remote without `--trash-dir`. */
  readonly trash?: Pick<PlaceLine, 'name' | 'root' | 'storeId'>;
}

/**
 * A directory of a place before the run: its time, noted before the first change in it, and its metadata, before it is
 * deleted or gets other metadata.
 */
export interface DirLine {
  readonly place: number;
  readonly dir: string;
  /** In RFC 3339, with nanoseconds. */
  readonly time?: string;
  readonly metadata?: Metadata;
}

/** A line of `journal.jsonl`; `done`: changes that were made exactly as noted, `end`: the last of a complete run. */
export type RunLine =
  | ChangeLine
  | CreatedLine
  | DoneLine
  | { readonly done: readonly number[] }
  | PlaceLine
  | DirLine
  | { readonly end: true };

/** What a mark is made of. */
export type MarkedFile = Pick<FileEntry, 'size' | 'etag' | 'version' | 'id'> & {
  readonly modTime?: FileEntry['modTime'] | undefined;
};

/** A mark as read from a journal, with its time in RFC 3339: to write that costs a run as much as all else. */
export function readMark(mark: FileMark): FileMark {
  const { time = '' } = mark;
  return /^-?\d+$/.test(time) ? { ...mark, time: formatRfc3339NanoUtc(BigInt(time)) } : mark;
}

/** The file that a mark describes, at `path`. */
export function fileOf(path: string, { size, time, etag, version, id }: FileMark): FileEntry {
  const modTime = time === undefined ? undefined : parseRfc3339(time);
  return { kind: 'file', path, size, ...defined({ modTime, etag, version, id }) };
}
