import type { Hashes, HashName } from './hash-names.ts';

/** What a remote can do for the hashes of its files. */
export interface HashCapabilities<File, Op> {
  /** A hash of a file; `undefined` if there is none of this type for this file. */
  readonly hash?: (file: File, name: HashName, op: Op) => Promise<string | undefined>;
  /** As `hash` for several hashes, by reading the file once. Absent if `hash` reads no content. */
  readonly hashes?: (file: File, names: readonly HashName[], op: Op) => Promise<Hashes>;
  /**
   * Hashes of many files in less time than one by one, each at the place of its file. It may leave out any, with
   * `undefined` or at the end of the list, for whatever reason: `hash` then gives the hash, or the error. Rejects only
   * if it is aborted.
   */
  readonly hashMany?: (
    files: readonly File[],
    name: HashName,
    op: Op,
  ) => Promise<readonly (string | undefined)[]>;
  /** Takes hashes that a reading of the content gave; it began at `sinceMs`, by `Clock.now`. */
  readonly noteHashes?: (file: File, hashes: Hashes, sinceMs: number) => void;
}
