/** How long to wait between tries. */
export interface BackOff {
  /** The wait before the second try, in milliseconds. */
  readonly baseMs: number;
  /** No wait of our own choice is longer, in milliseconds. */
  readonly capMs: number;
}

/** For a call that failed for a reason that passes soon: a broken connection, a server's hiccup. */
export const retryBackOff: BackOff = { baseMs: 50, capMs: 5_000 };

/** For a store that asks to slow down. */
export const throttleBackOff: BackOff = { baseMs: 250, capMs: 20_000 };

/**
 * Milliseconds to wait after `failures` failed tries (1 or more). The wait doubles with every failure up to the
 * cap; between half of it and all of it is waited, by chance, so that many callers do not come back at once.
 * Where the store named a time (`retryAfterMs`), it is never cut short.
 */
export function backOffMs(
  failures: number,
  retryAfterMs?: number,
  { baseMs, capMs }: BackOff = retryBackOff,
  random: () => number = Math.random,
): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(0, failures - 1), 30));
  const jittered = full * (0.5 + random() / 2);
  return Math.round(Math.max(jittered, retryAfterMs ?? 0));
}
