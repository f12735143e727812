import type { HashName } from '../../core/hash-names.ts';
import type { Capabilities } from '../../core/remote.ts';
import type { MemoryTree } from './memory-tree.ts';

/** What a remote in memory shall be like; every switch has the most able setting as its default. */
export interface MemoryOptions {
  readonly name?: string;
  readonly root?: string;
  /** The files. Remotes on the same tree see each other's, and can copy and move between each other. */
  readonly tree?: MemoryTree;
  /** Entries on a page of a listing; 1,000. */
  readonly pageSize?: number;
  /** Whether pages come in the order of `compareEntries`; otherwise in the reverse of it. */
  readonly sorted?: boolean;
  readonly hashes?: readonly HashName[];
  /** Whether hashes come only through `can.hash`, as on a local disk. */
  readonly slowHash?: boolean;
  /** In nanoseconds; times are cut to it. `undefined`, given expressly, keeps no times. */
  readonly modTimePrecision?: bigint | undefined;
  /** Whether listings leave times out, so that `can.readDetails` is needed, as on S3. */
  readonly slowModTime?: boolean;
  readonly caseInsensitive?: boolean;
  /** Whether directories exist without files; otherwise as on S3. */
  readonly emptyDirs?: boolean;
  /** Capabilities to leave out. */
  readonly without?: readonly (keyof Capabilities)[];
  /** Milliseconds since the epoch, for files written without a time. */
  readonly now?: () => number;
}

/** `MemoryOptions` with nothing left open. */
export type MemorySettings = Required<MemoryOptions>;
