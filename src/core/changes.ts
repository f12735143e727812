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
