import type { HashName } from '../../core/hash-names.ts';
import type { Capabilities } from '../../core/remote.ts';
import { MemoryTree } from './memory-tree.ts';

/** The options of a remote in memory; every switch has the most capable setting as its default. */
export interface MemoryOptions {
  readonly name?: string;
  readonly root?: string;
  /** The files. Remotes on the same tree see each other's, and can copy and move between each other. */
  readonly tree?: MemoryTree;
  /** Entries on a page of a listing; 1,000. */
  readonly pageSize?: number;
  /** Whether pages are in the order of `compareEntries`; otherwise in the reverse order. */
  readonly sorted?: boolean;
  readonly hashes?: readonly HashName[];
  /** Whether hashes are only available through `can.hash`, as on a local disk. */
  readonly slowHash?: boolean;
  /** In nanoseconds; times are truncated to it. An explicit `undefined` keeps no times. */
  readonly modTimePrecision?: bigint | undefined;
  /** Whether listings lack times, so that `can.details` is needed, as on S3. */
  readonly slowModTime?: boolean;
  readonly caseInsensitive?: boolean;
  /** Whether directories exist without files; otherwise as on S3. */
  readonly emptyDirs?: boolean;
  /** Whether files have identifiers, which a rename keeps. */
  readonly ids?: boolean;
  readonly without?: readonly (keyof Capabilities)[];
  /** Milliseconds since the epoch, for files written without a time. */
  readonly now?: () => number;
}

/** `MemoryOptions` with all defaults applied. */
export type MemorySettings = Required<MemoryOptions>;

/** The options with their defaults. */
export function settingsOf(options: MemoryOptions): MemorySettings {
  return {
    name: '',
    root: '',
    pageSize: 1000,
    sorted: true,
    hashes: ['md5', 'sha1', 'sha256', 'crc32', 'quickxor'],
    slowHash: false,
    modTimePrecision: 1n,
    slowModTime: false,
    caseInsensitive: false,
    emptyDirs: true,
    ids: false,
    without: [],
    now: Date.now,
    tree: new MemoryTree(options.caseInsensitive),
    ...options,
  };
}
