import type { ContentStamp } from './entry-details.ts';
import type { ModTime } from './mod-time.ts';

export interface Spot<Remote> {
  readonly remote: Remote;
  readonly path: string;
}

/**
 * What the engine knows about a change beside the call that makes it: the journal notes it. Generic because `Op` has it.
 */
export interface ChangeDetails<FileEntry, Remote> {
  /**
   * The file at the path that is written; `nothing` if the listing has none, `look` if the journal should request it.
   * Absent if it is unknown.
   */
  readonly replaces?: FileEntry | 'nothing' | 'look';
  /**
   * All that the call may replace, because it is kept, or because a decision was made about it: a disk rejects with
   * `precondition-failed` if anything else is there when the new file gets its name.
   */
  readonly replacesOnly?: ReplacedOnly<FileEntry>;
  /** Where the content of what is deleted or replaced is by now: at the target of a move, in the backup. */
  readonly keptAt?: Spot<Remote>;
  /** Called by a backend when its server keeps what was deleted or replaced at `path`. */
  readonly onKept?: (path: string, kept: KeptAs) => void;
  /** Called by `purge` of a backend that knows the files it deletes, with those of a request. */
  readonly onDeleted?: (files: readonly { readonly path: string; readonly size: number }[]) => void;
  /** As `onDeleted`, with each directory below the one that is purged; only on disks. */
  readonly onDirDeleted?: (path: string) => void;
  /**
   * As `onDeleted`, with each file or directory that could not be deleted: `purge` deletes the others, and then rejects
   * with `not-empty`. Also called by `cleanUp`. Without this, the first such error rejects.
   */
  readonly onNotDeleted?: (path: string, error: Error) => void;
  /** By which `cleanUp` deletes each old version; without it, it does so itself. */
  readonly loseVersion?: LoseVersion;
}

/** Deletes an old version of a file, of `size` bytes, as `destroy` does. Rejects with its error, or if it must not be. */
export type LoseVersion = (
  version: { readonly path: string; readonly id: string; readonly size: number },
  destroy: () => Promise<void>,
) => Promise<void>;

/** A file that may be replaced, and its `Capabilities.stamp` if it has one. */
export interface ReplacedOnly<FileEntry> {
  readonly file: FileEntry | 'nothing';
  readonly stamp?: ContentStamp | undefined;
}

/**
 * Where a server keeps the content of a file that was deleted or replaced: as an older version, under the version or
 * delete marker `id` that took its place, or in its own recycle bin, under `id`. `hash` (`quickxor:…`) proves that a
 * version is the one.
 */
export type KeptAs =
  | { readonly in: 'versions'; readonly id?: string; readonly hash?: string }
  | { readonly in: 'bin'; readonly id: string };

/** Whether the trash of a run is used; a review may change it before the first change. */
export interface TrashUse {
  isOn: boolean;
}

/** A file to restore; generic because `Remote` imports this file. */
export interface RestoreJob<FileEntry> {
  /** Where it was. */
  readonly path: string;
  /** The file as it was: at least the members that were listed. */
  readonly old: FileEntry;
  /** The file that replaced it; absent if it was deleted. */
  readonly current?: FileEntry;
  readonly kept: KeptAs;
}

/** How a server keeps deleted and replaced files (`Capabilities.restoring`). */
export interface Restoring<FileEntry, Op> {
  /** What it keeps so surely that `--trash` need not. Requests it once. */
  keeps(op: Op): Promise<{ readonly deleted: boolean; readonly replaced: boolean }>;
  /**
   * Restores a file under its name, with its content and time; destroys nothing. Rejects with `file-not-found` if it
   * is no longer kept.
   */
  restore(job: RestoreJob<FileEntry>, op: Op): Promise<FileEntry>;
  /**
   * Where a file that a run deleted or replaced is kept, if no response said it; `undefined` if its ETag does not prove
   * that a version is the one. Absent where nothing could.
   */
  find?(file: FileEntry, op: Op): Promise<KeptAs | undefined>;
  /** Whether a file is still in the recycle bin, as far as the server says. Absent without one. */
  isInBin?(id: string, op: Op): Promise<boolean>;
}

/** A write whose result is wrong. Times are of the server's clock; absent if unknown. */
export interface FailedWrite {
  /** Its start: what was stored earlier was there before. What was stored after `toldAt` of the file came later. */
  readonly since?: ModTime;
  /** Only with several failed writes of this path: the start of the first. What was stored earlier may be restored. */
  readonly firstSince?: ModTime;
}

/** Conditions of a deletion. */
export interface Deletion {
  /** A file that has changed stays (`source-changed`), if the remote can tell within the request: S3 only for one file. */
  readonly ifUnchanged?: boolean;
}
