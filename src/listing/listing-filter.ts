import type { FileEntry } from '../core/remote.ts';

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
