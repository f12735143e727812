import type { Emit } from '../core/events.ts';
import type { Op, Remote } from '../core/remote.ts';
import type { ListingFilter } from './listing-filter.ts';

/** A listing of one remote. */
export interface Walk {
  readonly remote: Remote;
  readonly filter: ListingFilter;
  readonly op: Op;
  readonly want: 'files' | 'dirs' | 'all';
  /** Depth for commands that stay in one directory unless told otherwise; the filter's where absent. */
  readonly maxDepth?: number;
  /** Never one flat listing: directories that hold no file are wanted, too. */
  readonly byDirectory?: boolean;
  /** Files may come in any order, where that is sooner. */
  readonly anyOrder?: boolean;
  /** Requests at once. */
  readonly atOnce: number;
  readonly emit: Emit;
  /** Takes what went wrong in a directory below the root; the rest is listed all the same. */
  onError(thrown: unknown, dir: string): void;
}
