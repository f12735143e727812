/** Number of directories walked in parallel while the visitor cannot keep up. */
const FEW = 4;

/** The number of directories walked in parallel. */
export interface WalkWidth {
  readonly now: number;
  /** A directory was walked. */
  ended(): void;
}

/**
 * Starts with a few and adds one with each directory that was walked, up to `most`: listed entries wait in memory.
 * Falls back to a few while enough is waiting.
 *
 * @param isFull whether enough is waiting; absent: `most` from the start
 */
export function walkWidth(most: number, isFull: (() => boolean) | undefined): WalkWidth {
  const few = Math.min(most, FEW);
  let now = isFull === undefined ? most : few;
  return {
    get now() {
      return now;
    },
    ended() {
      now = isFull?.() === true ? few : Math.min(most, now + 1);
    },
  };
}
