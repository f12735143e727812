/**
 * Where a server keeps the content of a file that was deleted or replaced: as an older version, under the version or
 * delete marker `id` that took its place, or in its own recycle bin, under `id`. `hash` (`quickxor:…`) proves that a
 * version is the one.
 */
export type KeptAs =
  | { readonly in: 'versions'; readonly id?: string; readonly hash?: string }
  | { readonly in: 'bin'; readonly id: string };

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
