/** A pool of transfers, as those who change its width see it. */
interface Joined {
  /** How many run at once by the pool's own rule. */
  width(): number;
  /** Starts what waits and now has a place. */
  wake(): void;
}

/** How many transfers run at once where a person changes it in mid-run; the pools of a run share it. */
export interface TransferPlaces {
  /** The number that was set; `undefined`: every pool goes by its own rule. */
  readonly wanted: number | undefined;
  /** How many may run now: what was set, or else the widest of the pools. 0 before there is one. */
  readonly width: number;
  /** Sets the number, at least 1. Those that run already go on. */
  set(wanted: number): void;
  /** Whether one more may begin, where a number was set. */
  hasRoom(): boolean;
  began(): void;
  ended(): void;
  /** A pool takes part from now on; the function that is returned ends that. */
  join(pool: Joined): () => void;
}

/** No number is set yet. */
export function createTransferPlaces(): TransferPlaces {
  const pools = new Set<Joined>();
  let wanted: number | undefined;
  let running = 0;
  const wakeAll = () => {
    for (const pool of pools) pool.wake();
  };
  return {
    get wanted() {
      return wanted;
    },
    get width() {
      return wanted ?? Math.max(0, ...[...pools].map((pool) => pool.width()));
    },
    set(number) {
      wanted = Math.max(1, number);
      wakeAll();
    },
    hasRoom: () => wanted === undefined || running < wanted,
    began() {
      running++;
    },
    ended() {
      running--;
      if (wanted !== undefined) wakeAll();
    },
    join(pool) {
      pools.add(pool);
      return () => pools.delete(pool);
    },
  };
}
