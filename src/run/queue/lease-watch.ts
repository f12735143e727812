import { type Clock, stopwatch } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';

/** A lease on a range, in milliseconds, and how often it is renewed and looked at. */
export const LEASE = { ms: 15_000, renewMs: 3_000, lookMs: 250 } as const;

/** A lease that its holder watches by its own clock. */
export interface WatchedLease {
  /** Aborted when the lease is lost, or may be lost soon without the holder being told. */
  readonly signal: AbortSignal;
  /** Looks at the clock: called before every request. */
  look(): void;
  /** Renews it no more. */
  end(): void;
}

/**
 * Renews a lease, and ends the work under it before it can run out: at two thirds of the time since the last renewal
 * that is known to have succeeded, counted from before it was sent. The queue cannot tell a worker that has no
 * connection, or one that was suspended, that its range was given away; its own clock can.
 *
 * @param renew `false` or rejecting: another one has the lease, or nothing is known
 * @param sinceTaken begun before the lease was asked for
 */
export function watchLease(
  clock: Pick<Clock, 'now' | 'monotonic'>,
  renew: () => Promise<boolean>,
  sinceTaken = stopwatch(clock),
): WatchedLease {
  const ends = new AbortController();
  const lose = (why: string) => {
    end();
    ends.abort(new SyncerError('other', `stopped work on a range of names: ${why}`));
  };
  let [sinceProven, sinceSent] = [sinceTaken, sinceTaken];
  let isRenewing = false;
  /**
   * Looks at the clock now. A process that was suspended wakes with responses that came in the meantime, and would send
   * the next requests before its timers run.
   */
  const look = () => {
    if (sinceProven() > (LEASE.ms * 2) / 3) return lose('the queue has not answered in time');
    if (isRenewing || sinceSent() < LEASE.renewMs) return;
    const asked = stopwatch(clock);
    sinceSent = asked;
    isRenewing = true;
    renew()
      .then(
        (isOurs) => {
          if (isOurs) sinceProven = asked;
          else lose('it was given to another worker');
        },
        () => {},
      )
      .finally(() => {
        isRenewing = false;
      });
  };
  const timer = setInterval(look, LEASE.lookMs);
  const end = () => clearInterval(timer);
  return { signal: ends.signal, look, end };
}
