/** What one thread is to do so that all have an equal share of the connections that are in use. */
export interface Share {
  /** So many are to leave it. */
  readonly tooMany: number;
  /** It has room for so many more. */
  readonly room: number;
}

/**
 * Spreads connections evenly; one that can be nowhere else than here or there stays.
 *
 * @param active the connections of each thread that were in use
 * @param weights how large a thread's share is to be beside those of others
 */
export function spreadConnections(
  active: readonly number[],
  weights: readonly number[],
): readonly Share[] {
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  const perWeight = sum(active) / sum(weights);
  return active.map((count, thread) => {
    const share = perWeight * (weights[thread] ?? 1);
    return {
      tooMany: Math.max(0, count - Math.ceil(share)),
      room: Math.max(0, Math.floor(share) - count),
    };
  });
}
