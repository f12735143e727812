/** From which size a file is written in several ranges in parallel, and in how many. */
export interface WriteRanges {
  /** In bytes. */
  readonly from: number;
  readonly count: number;
}
