import type { HashName } from './hash-names.ts';

/** The properties of a remote: data, so that the engine never checks a backend's name. */
export interface Traits {
  /** Supported hashes, best first. */
  readonly hashes: readonly HashName[];
  /** Hashes whose reading means reading the whole file (local disk). */
  readonly slowHash: boolean;
  /** The coarsest difference of modification times it keeps, in nanoseconds; `undefined`: keeps none. */
  readonly modTimePrecision: bigint | undefined;
  /** Listings lack modification times: each costs a request. */
  readonly slowModTime: boolean;
  /** Names that differ only in case are one name; on a disk, in the root: see `Capabilities.naming`. */
  readonly caseInsensitive: boolean;
  /** Empty directories can exist. */
  readonly emptyDirs: boolean;
  /** Pages of `listPage` come in the order of `compareEntries`. */
  readonly sortedPages: boolean;
  /** The first path segment below the root of the account is a bucket. */
  readonly bucketBased: boolean;
  /** Calls use no network: many small ones in parallel gain nothing. */
  readonly onDisk: boolean;
  /** Its files live as long as the process: there is nothing that this run has not written, not even a directory. */
  readonly inProcess?: boolean;
  /** Calls are requests to a server: one writes a file up to `wholeUpTo` bytes, larger ones go in parts of `part` bytes. */
  readonly requests?: { readonly wholeUpTo: number; readonly part: number };
  /** The end of names of symbolic links that are shown as files; absent: names are those on disk. */
  readonly linkSuffix?: string;
  /** An option of the remote allows server-side copies from other remotes. */
  readonly copiesAcross?: boolean;
  /**
   * Another program speaks to its service, which may bear few requests at once. `can.copyFrom` takes files of any remote
   * that the program can read, and sends them as syncer would. It gets files up to `smallUpTo` bytes in groups of those
   * that wait, and makes as many copies in parallel as its service bears.
   */
  readonly carries?: { readonly smallUpTo: number };
}
