/** So many directories are walked at once while those who take what is found cannot keep up. */
const FEW = 4;

/** How many directories are walked at once. */
export interface WalkWidth {
  readonly now: number;
  /** A directory was walked. */
  ended(): void;
}

/**
 * Begins with a few and takes one more with each directory that was walked, up to `most`: what is listed waits in
 * memory. Falls back to a few while enough is waiting already.
 *
 * @param isFull whether it is; where nobody tells, all are walked at once from the begin
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
