import type { Reason } from '../core/reason.ts';
import type { DirEntry, FileEntry, Remote } from '../core/remote.ts';

/** A file that is on at least one side. */
export interface FilePair {
  readonly source?: FileEntry;
  readonly dest?: FileEntry;
  /** Path of the source's file at the destination, if names are changed on the way. */
  readonly path?: string;
}

/** A directory that is on at least one side. */
export interface DirPair {
  readonly source?: DirEntry;
  readonly dest?: DirEntry;
  /** As in `FilePair`. */
  readonly path?: string;
}

/** Returns pairs whose entries of the destination may have other names than listed. */
export interface Fixer {
  files(pairs: readonly FilePair[]): Promise<readonly FilePair[]>;
  dirs(pairs: readonly DirPair[]): Promise<DirPair[]>;
}

/** A file on the destination's remote that equals the one to transfer. */
export interface CopyFrom {
  readonly remote: Remote;
  readonly file: FileEntry;
  /** It has the content and time of that file for sure. */
  readonly isKept: boolean;
  /** The source file is deleted after the copy. */
  readonly deletesSource: boolean;
}

/** A file that is copied or moved from the source to the destination. */
export interface Transfer {
  readonly do: 'copy' | 'move';
  /** As it was listed. */
  readonly source: FileEntry;
  /** Path at the destination. */
  readonly path: string;
  /** The file of the destination that it replaces, as it was listed; it may have another name. */
  readonly replaces?: FileEntry;
  /** Why it replaces the other one. */
  readonly reason?: Reason;
  /** A file to copy server-side instead of the source (`--copy-dest`). */
  readonly from?: CopyFrom;
}
