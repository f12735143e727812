import type { NameRange } from '../core/name-range.ts';

/** A range of names that a run is about. */
export interface ListedRange extends NameRange {
  /** The last page of a side has come. */
  listed(side: 'source' | 'dest'): void;
  /** This many pairs of files more, in order and up to this path, are now worked on. */
  passed(names: number, path: string): void;
  /** A file that only the destination has, in a run that deletes nothing. */
  onExtra(): void;
}
