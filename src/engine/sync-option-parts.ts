import type { KeepMetadata, WriteRanges } from '../core/entry-details.ts';
import type { SyncerError } from '../core/errors.ts';
import type { Entry, FileEntry } from '../core/remote.ts';
import type { RuleOptions } from './rules/flags.ts';

/** When `sync` deletes extra files. */
export type DeleteMode = 'off' | 'before' | 'during' | 'after';

/** What a run has found when it is about to delete extra files. */
export interface DeleteTotals {
  readonly sourceFiles: number;
  readonly destFiles: number;
  /** How many files would be deleted, and at least some of them. */
  readonly extra: number;
  readonly examples: readonly Pick<FileEntry, 'path'>[];
  /** Others were deleted before: there are more than was known then. */
  readonly isLate?: true;
}

/** Called once before the first deletion; with an error, which ends the run, nothing is deleted. */
export type DeleteCheck = (totals: DeleteTotals) => SyncerError | undefined;

/** What happens to running transfers when `--max-transfer` or `--max-duration` is reached. */
export type CutoffMode = 'hard' | 'soft' | 'cautious';

/** Which numbers of parallel tasks may adapt during a run. */
export interface Adapts {
  readonly transfers: boolean;
  /** Transfers at the start if the program had to wait for listings; absent: the same number as otherwise. */
  readonly far?: number | undefined;
  readonly checkers: boolean;
}

/** How pairs are compared, and what is left whatever they are; the flags' meaning is rclone's. */
export interface CompareOptions extends RuleOptions {
  readonly checksum: boolean;
  readonly sizeOnly: boolean;
  readonly ignoreSize: boolean;
  readonly noUpdateDirModTime: boolean;
  /** Files of equal size without a common hash are the same: only the time is set (`--refresh-times`). */
  readonly refreshTimes: boolean;
  /** Times nearer than this are equal, in nanoseconds; at least 1. */
  readonly modifyWindowNs: bigint;
  /**
   * What is equal is deleted at the source: files whose listed hashes differ are not equal, whatever their times, and
   * with `--checksum` files without a common hash are equal only if their times are.
   */
  readonly deletesSource?: boolean;
}

/** Changes names on their way to the destination. */
export interface NameTransform {
  /** The name at the destination of an entry with this name, without its directory. Rejects if there is none. */
  name(leaf: string, kind: Entry['kind']): string | Promise<string>;
}

/** How a single file is copied. */
export interface CopyOptions {
  /** Tries of one file. */
  readonly lowLevelRetries: number;
  readonly ignoreSize: boolean;
  /** Do not compare hashes after a copy (`--ignore-checksum`). */
  readonly ignoreChecksum: boolean;
  /** The user asked for hashes (`--checksum`): a checksum that only finds accidents is not enough. */
  readonly checksum?: boolean;
  /**
   * From which size and in how many parallel ranges large files are read (`--multi-thread-cutoff`,
   * `--multi-thread-streams`).
   */
  readonly ranges?: WriteRanges;
  /** Copy server-side also between two remotes of the configuration (`--server-side-across-configs`). */
  readonly serverSideAcrossConfigs: boolean;
  /** Copies have the metadata of their source (`--metadata`). */
  readonly metadata?: KeepMetadata;
}

/** How both sides are listed, and their names matched. */
export interface ListingOptions {
  /** Names that differ only in Unicode normalisation are different names. */
  readonly noUnicodeNormalization: boolean;
  /** Names that differ only in case are one name (`--ignore-case-sync`). */
  readonly ignoreCaseSync: boolean;
  /** List whole trees with few requests if the remote can (`--fast-list`). */
  readonly fastList: boolean;
  /** Parallel listings and comparisons. */
  readonly checkers: number;
  /** Which of the two numbers is only the start of a search for the best one; absent: both are fixed. */
  readonly adapts?: Adapts;
}

/** What is deleted at the destination, and when. */
export interface DeleteOptions {
  readonly deletes: DeleteMode;
  readonly ignoreErrors: boolean;
  /** `--guard`; absent: nothing is checked. */
  readonly checkDeletes?: DeleteCheck;
  /** The destination keeps what is replaced or deleted (`--trash`). */
  readonly trash?: true;
}

/** How much is transferred. */
export interface LimitOptions {
  /** In bytes; -1: no limit. */
  readonly maxTransfer: number;
  readonly cutoffMode: CutoffMode;
}

/** How many files are transferred in parallel. */
export interface TransferWidths {
  /** Parallel transfers. */
  readonly transfers: number;
  /** Parallel transfers of small files, if different. */
  readonly smallTransfers?: number;
  /** What is small, in bytes, if different. */
  readonly smallUpTo?: number;
}

/** The options of copy, sync and move, without those of passes. */
export interface PlainOptions
  extends CompareOptions,
    CopyOptions,
    ListingOptions,
    DeleteOptions,
    LimitOptions,
    TransferWidths {
  readonly checksum: boolean;
  /** Request each file of the destination instead of listing it (`--no-traverse`). */
  readonly noTraverse: boolean;
  /** Copy everything without checking the destination (`--no-check-dest`). */
  readonly noCheckDest: boolean;
  readonly createEmptySrcDirs: boolean;
  readonly deleteEmptySrcDirs: boolean;
  /** How many transfers may wait before the walk is paused (`--max-backlog`). */
  readonly maxBacklog: number;
  /** Changes the names of the source. */
  readonly transform?: NameTransform;
}
