/** What a remote can do with what it keeps besides current files. */
export interface KeptCapabilities<File, Op> {
  /**
   * Everything that takes space below `dir`, in any order, each with `kept`: also old versions, delete markers and
   * unfinished uploads. Rejects with `unsupported` if the server cannot list them.
   */
  readonly listKept?: (dir: string, op: Op) => AsyncIterable<readonly File[]>;
  /** Of these only the unfinished uploads of a file, or below a directory; `deleteKept` aborts them. */
  readonly listUploads?: (path: string, op: Op) => AsyncIterable<readonly File[]>;
  /**
   * Of these only the versions and delete markers of a file, or below a directory: those of one path together, the
   * newest first.
   */
  readonly listVersions?: (path: string, op: Op) => AsyncIterable<readonly File[]>;
  /** Makes an old version the content of its file again, with its metadata; the version stays. */
  readonly restoreKept?: (file: File, op: Op) => Promise<void>;
  /**
   * Deletes for good what `listKept` returned, and nothing else under these paths, in any order; returns each failure
   * with its file.
   */
  readonly deleteKept?: (files: readonly File[], op: Op) => Promise<ReadonlyMap<File, Error>>;
}
