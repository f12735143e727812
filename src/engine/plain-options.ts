import type { KeepMetadata } from '../core/entry-details.ts';
import type { WriteRanges } from '../core/write-ranges.ts';
import type { NameTransform } from './name-transform.ts';
import type { DeleteBudget } from './run-limits.ts';
import type {
  Adapts,
  CompareOptions,
  CutoffMode,
  DeleteCheck,
  DeleteMode,
} from './sync-option-parts.ts';

/** The options of copy, sync and move, without those of passes. */
export interface PlainOptions extends CompareOptions {
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
  /** `--guard`; absent: nothing is checked. */
  readonly checkDeletes?: DeleteCheck;
  /** In bytes; -1: no limit. */
  readonly maxTransfer: number;
  /** When to stop, on the clock's monotonic time in milliseconds (`--max-duration`). */
  readonly deadline?: number;
  readonly cutoffMode: CutoffMode;
  /** The destination keeps what is replaced (`--trash`). */
  readonly keepsReplaced?: true;
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
  /** How many transfers may wait before the walk is paused (`--max-backlog`). */
  readonly maxBacklog: number;
  /** Changes the names of the source. */
  readonly transform?: NameTransform;
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
