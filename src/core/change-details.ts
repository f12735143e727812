import type { ContentStamp } from './entry-details.ts';
import type { KeptAs } from './restoring.ts';

/** A path of a remote. */
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
  /**
   * As `onDeleted`, with each file or directory that could not be deleted: `purge` deletes the others, and then rejects
   * with `not-empty`. Also called by `cleanUp`. Without this, the first such error rejects.
   */
  readonly onNotDeleted?: (path: string, error: Error) => void;
}

/** A file that may be replaced, and its `Capabilities.stamp` if it has one. */
export interface ReplacedOnly<FileEntry> {
  readonly file: FileEntry | 'nothing';
  readonly stamp?: ContentStamp | undefined;
}
