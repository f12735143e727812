/** A pool of transfers with a variable width. */
interface Joined {
  /** Its width by its own rule. */
  width(): number;
  /** Starts waiting tasks that now have a place. */
  wake(): void;
}

/** The number of parallel transfers, if the user changes it during the run; the pools of a run share it. */
export type TransferPlaces = ReturnType<typeof createTransferPlaces>;

/** Creates it without a number. */
export function createTransferPlaces() {
  const pools = new Set<Joined>();
  let wanted: number | undefined;
  let running = 0;
  const wakeAll = () => {
    for (const pool of pools) pool.wake();
  };
  return {
    /** The user's number; `undefined`: every pool has its own rule. */
    get wanted() {
      return wanted;
    },
    /** The current limit: the user's number, or else the largest width of the pools. 0 before there is one. */
    get width() {
      return wanted ?? Math.max(0, ...[...pools].map((pool) => pool.width()));
    },
    /** Sets the number, at least 1. Running transfers continue. */
    set(number: number) {
      wanted = Math.max(1, number);
      wakeAll();
    },
    /** Whether one more may start, if a number was set. */
    hasRoom: () => wanted === undefined || running < wanted,
    began() {
      running++;
    },
    ended() {
      running--;
      if (wanted !== undefined) wakeAll();
    },
    /** Adds a pool; the returned function removes it. */
    join(pool: Joined) {
      pools.add(pool);
      return () => pools.delete(pool);
    },
  };
}
