import type { DiskUsage, Kept } from '../core/entry-details.ts';
import type { ObjectFacts } from './object-figures.ts';

/** The number of a file or directory in a `SizeTree`; never used again for another. */
export type NodeId = number;

/** The properties of a new node. */
export interface NewNode extends ObjectFacts {
  readonly name: string;
  readonly isDir: boolean;
  /** In bytes; -1 if unknown; meaningless for directories. */
  readonly size: number;
  /** Milliseconds since the epoch; `NaN` unknown. */
  readonly timeMs: number;
  /** Absent where it lies on no disk. */
  readonly usage?: DiskUsage | undefined;
  /** Which of several things under one path. */
  readonly kept?: Kept | undefined;
}

/** The node at the top of a scan. */
export const ROOT: NodeId = 0;
