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
  /**
   * Whether a hash that a listing has of a file may be none of its content, as far as is known now: the ETag of an object
   * that a key encrypts looks like an MD5, which only a response about the object shows. Equal hashes are in no doubt.
   */
  readonly hashesInDoubt?: (file: File) => boolean;
  /** The file with those hashes of its entry that count; asks the server if that is unknown. */
  readonly confirmHashes?: (file: File, op: Op) => File | Promise<File>;
  /** Takes hashes that a reading of the content gave; it began at `sinceMs`, by `Clock.now`. */
  readonly noteHashes?: (file: File, hashes: Hashes, sinceMs: number) => void;
}
