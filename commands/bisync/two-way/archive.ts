import type { AgreedFiles } from './agreed-files.ts';

/** What both sides had when they last agreed. */
export interface Archive {
  /** Identities of both roots: the archive of another pair is never used. */
  readonly roots: readonly [a: string, b: string];
  /** When the run ended, in milliseconds since the epoch. */
  readonly endedMs: number;
  /** By path on the first side. */
  readonly files: AgreedFiles;
  /** Directories that both sides had. */
  readonly dirs: ReadonlySet<string>;
  /** What runs have deleted because the other side had, by path on the first side; absent if nothing. */
  readonly deleted?: ReadonlyMap<string, DeletedFile>;
}

/** A file that a run has deleted; its time in seconds, if it had one. */
export interface DeletedFile {
  readonly size: number;
  readonly seconds?: number;
}

/** How many deletions an archive keeps. */
export const MOST_DELETED = 1000;
