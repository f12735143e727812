import type { Emit } from '../core/events.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';

/** A listing of one remote. */
export interface Walk {
  readonly remote: Remote;
  readonly filter: ListingFilter;
  readonly op: Op;
  readonly want: 'files' | 'dirs' | 'all';
  /** Depth for commands that stay in one directory unless told otherwise; the filter's where absent. */
  readonly maxDepth?: number;
  /** Never one flat listing: directories that hold no file are wanted, too. */
  readonly byDirectory?: boolean;
  /** Files may come in any order, where that is sooner. */
  readonly anyOrder?: boolean;
  /** Requests at once. */
  readonly atOnce: number;
  readonly emit: Emit;
  /** Takes what went wrong in a directory below the root; the rest is listed all the same. */
  onError(thrown: unknown, dir: string): void;
}

/** What a listing asks of the filter of the run. */
export interface ListingFilter {
  /** Everything passes, at any depth. */
  readonly passesAll: boolean;
  /** `keepFile` wants `modTime`. */
  readonly needsModTime: boolean;
  /** Names of files that exclude the directory they lie in. */
  readonly markerFiles: readonly string[];
  /** Levels to go down; 1 is the root alone; -1 no limit. */
  readonly maxDepth: number;
  /** The only files to list, where they are named. */
  readonly fileList: ReadonlySet<string> | undefined;
  /** Rules exclude whole directories, so that going through them one by one may save most of the work. */
  readonly prunesDirs?: boolean;
  keepFile(file: FileEntry): boolean;
  /** Whether a file of this path passes as far as paths tell. */
  keepPath(path: string): boolean;
  keepDir(path: string): boolean;
}
