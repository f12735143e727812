/** The number of a file or directory in a `SizeTree`; never used again for another. */
export type NodeId = number;

/** What a node is given when it is added. */
export interface NewNode {
  readonly name: string;
  readonly isDir: boolean;
  /** In bytes; -1 where the store does not know it; of no meaning for directories. */
  readonly size: number;
  /** Milliseconds since the epoch; `NaN` unknown. */
  readonly timeMs: number;
}

/** The node at the top of a scan. */
export const ROOT: NodeId = 0;
