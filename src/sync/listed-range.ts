import type { NameRange } from '../core/name-range.ts';

/** A range of names that a run is about. */
export interface ListedRange extends NameRange {
  /** The last page of a side has come. */
  listed(side: 'source' | 'dest'): void;
  /**
   * Called before this many pairs of files more are worked on, in order, from the path `first` up to `path`. `false`:
   * the range has come to end before `path`, and `last` says where. Rejects if the range may not be worked on any more.
   */
  reaches(names: number, first: string, path: string): Promise<boolean>;
  /** A file that only the destination has, in a run that deletes nothing. */
  onExtra(): void;
}
