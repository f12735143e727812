import type { KeepMetadata } from '../core/entry-details.ts';
import type { Remote, WriteRanges } from '../core/remote.ts';
import type { DeleteBudget } from './delete-budget.ts';
import type { RenameStrategy } from './match-renames.ts';

/** When `sync` deletes extra files. */
export type DeleteMode = 'off' | 'before' | 'during' | 'after';

/** What happens to running transfers when `--max-transfer` or `--max-duration` is reached. */
export type CutoffMode = 'hard' | 'soft' | 'cautious';

/** Where overwritten and deleted files of the destination are moved. */
export interface Backup {
  /** The remote of the backup (`--backup-dir`), or the destination itself (`--suffix` alone). */
  readonly remote: Remote;
  /** Appended to the name; `''` for none. */
  readonly suffix: string;
  /** The suffix goes before the extensions (`--suffix-keep-extension`). */
  readonly keepExtension: boolean;
}

/** What to do with a file that a reference directory has: nothing, or copy it from there. */
export type ReferenceMode = 'compare' | 'copy';

/** Directories whose files need not be transferred (`--compare-dest`, `--copy-dest`), in the order of search. */
export interface References {
  readonly mode: ReferenceMode;
  readonly dirs: readonly Remote[];
}

/** The order in which transfers start (`--order-by`). */
export interface TransferOrder {
  readonly by: 'size' | 'name' | 'modtime';
  readonly descending: boolean;
  /**
   * The share of the transfers, in percent, that take from the low end; the others take from the high end, so that
   * small files do not wait for large ones (`size,mixed`). Absent: all take from one end.
   */
  readonly mixedPercent?: number;
}

/** Which numbers of parallel tasks may adapt during a run. */
export interface Adapts {
  readonly transfers: boolean;
  readonly checkers: boolean;
}

/** How pairs are compared; the flags' meaning is rclone's. */
export interface CompareOptions {
  readonly checksum: boolean;
  readonly sizeOnly: boolean;
  readonly ignoreTimes: boolean;
  readonly ignoreSize: boolean;
  readonly ignoreExisting: boolean;
  readonly update: boolean;
  readonly immutable: boolean;
  readonly noUpdateModTime: boolean;
  readonly noUpdateDirModTime: boolean;
  /** Files of equal size without a common hash are the same: only the time is set (`--refresh-times`). */
  readonly refreshTimes: boolean;
  /** Times nearer than this are equal, in nanoseconds; at least 1. */
  readonly modifyWindowNs: bigint;
}

/** All options of copy, sync and move. */
export interface SyncOptions extends CompareOptions {
  /** Only files that exist at the destination (`--existing`). */
  readonly existing: boolean;
  /** Request each file of the destination instead of listing it (`--no-traverse`). */
  readonly noTraverse: boolean;
  /** Copy everything without checking the destination (`--no-check-dest`). */
  readonly noCheckDest: boolean;
  /** Names that differ only in Unicode normalisation are different names. */
  readonly noUnicodeNormalization: boolean;
  /** Names that differ only in case are one name (`--ignore-case-sync`). */
  readonly ignoreCaseSync: boolean;
  readonly deletes: DeleteMode;
  readonly ignoreErrors: boolean;
  readonly deleteBudget: DeleteBudget;
  /** In bytes; -1: no limit. */
  readonly maxTransfer: number;
  /** When to stop, on the clock's monotonic time in milliseconds (`--max-duration`). */
  readonly deadline?: number;
  readonly cutoffMode: CutoffMode;
  readonly backup?: Backup;
  readonly references?: References;
  /** Rename at the destination what was renamed at the source (`--track-renames`). */
  readonly trackRenames: RenameStrategy | false;
  readonly createEmptySrcDirs: boolean;
  readonly deleteEmptySrcDirs: boolean;
  /** Do not compare hashes after a copy (`--ignore-checksum`). */
  readonly ignoreChecksum: boolean;
  /**
   * From which size and in how many parallel ranges large files are read (`--multi-thread-cutoff`,
   * `--multi-thread-streams`).
   */
  readonly ranges?: WriteRanges;
  /** List whole trees with few requests if the remote can (`--fast-list`). */
  readonly fastList: boolean;
  /** Copy server-side also between two remotes of the configuration (`--server-side-across-configs`). */
  readonly serverSideAcrossConfigs: boolean;
  readonly checkFirst: boolean;
  /** How many transfers may wait before the walk is paused (`--max-backlog`). */
  readonly maxBacklog: number;
  readonly orderBy?: TransferOrder;
  /** Copies have the metadata of their source (`--metadata`). */
  readonly metadata?: KeepMetadata;
  /** Parallel transfers. */
  readonly transfers: number;
  /** Parallel transfers of small files, if different. */
  readonly smallTransfers?: number;
  /** Parallel listings and comparisons. */
  readonly checkers: number;
  /** Which of the two numbers is only the start of a search for the best one; absent: both are fixed. */
  readonly adapts?: Adapts;
  /** Tries of one file. */
  readonly lowLevelRetries: number;
}
