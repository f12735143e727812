/** The changes on a remote since some moment, by any client. */
export interface Changes {
  /** Passed to the next call. */
  readonly token: string;
  /** The changed items; absent if anything may have changed. */
  readonly items?: readonly ChangedItem[];
}

/** A file or a directory that is new, changed or deleted. */
export interface ChangedItem {
  /** As in `Entry.id`. */
  readonly id: string;
  /** Its parent directory, likewise; `''` for the root of the remote, absent if unknown. */
  readonly parentId?: string;
}

/** A remote whose changes are reported. */
export interface Watching {
  /** Watched directories. */
  readonly dirs: number;
  /** Throws `fatal` if the root is another directory by now: another disk, or the mount point of none. */
  assertSameRoot(): void;
}

/** What to watch, and who hears of it. */
export interface WatchPlan {
  /** Whether the directory matters. */
  keepDir(dir: string): boolean;
  /** Entries of the directory are new, changed or gone; if `whole`, anything below it may be. */
  onChange(dir: string, whole: boolean): void;
  /** Changes may have gone unseen, and may from now on; with an error, if it is one. */
  onLost(error?: Error): void;
}
