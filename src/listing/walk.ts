import type { Emit } from '../core/events.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';

/** A listing of one remote. */
export interface Walk {
  readonly remote: Remote;
  readonly filter: ListingFilter;
  readonly op: Op;
  readonly want: 'files' | 'dirs' | 'all';
  /** Depth for commands that stay in one directory by default; absent: the filter's. */
  readonly maxDepth?: number;
  /** Never one flat listing: directories without files are wanted, too. */
  readonly byDirectory?: boolean;
  /** Files may come in any order, if that is faster. */
  readonly anyOrder?: boolean;
  /** Parallel requests. */
  readonly atOnce: number;
  readonly emit: Emit;
  /** Receives the errors of directories below the root; the rest is listed nevertheless. */
  onError(thrown: unknown, dir: string): void;
}

/** The part of the run's filter that a listing needs. */
export interface ListingFilter {
  /** Everything passes, at any depth. */
  readonly passesAll: boolean;
  /** `keepFile` needs `modTime`. */
  readonly needsModTime: boolean;
  /** Names of files that exclude their directory. */
  readonly markerFiles: readonly string[];
  /** Number of levels; 1 is the root alone; -1 no limit. */
  readonly maxDepth: number;
  /** The only files to list, if they are named. */
  readonly fileList: ReadonlySet<string> | undefined;
  /** Rules exclude whole directories, so that listing them one by one may save most of the work. */
  readonly prunesDirs?: boolean;
  keepFile(file: FileEntry): boolean;
  /** Whether the path of a file passes. */
  keepPath(path: string): boolean;
  keepDir(path: string): boolean;
}
