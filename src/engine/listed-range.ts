import type { FileEntry, NameRange } from '../core/remote.ts';

/** Names that are worked on. */
export interface NameSpan {
  readonly first: string;
  readonly last: string;
  /** Names behind them that are listed already, which divide all of those into equal parts; none: few are listed. */
  readonly points: readonly string[];
  /** Working on names takes longer than listing them. */
  readonly isSlow: boolean;
}

/** A range of names that a run is about. */
export interface ListedRange extends NameRange {
  /** The last page of a side has come. */
  listed(side: 'source' | 'dest'): void;
  /**
   * Called before this many pairs of files more are worked on, in order. `false`: the range has come to end before the
   * last of them, and `last` says where. Rejects if the range may not be worked on any more.
   */
  reaches(names: number, span: NameSpan): Promise<boolean>;
  /**
   * What a later phase deletes, and this one only counts: files that only the destination has (`extra`: what cannot be
   * listed of it is an error), or those of the source; absent: nothing.
   */
  readonly deletesLater?: 'extra' | 'source' | undefined;
  /** A file that a later phase deletes, or only the destination has; in a check a difference. `bytes`: -1 if unknown. */
  onExtra(bytes: number): void;
  /** A file of the destination; `isExtra`: only the destination has it. */
  onDest?(file: FileEntry, isExtra: boolean): void;
}
