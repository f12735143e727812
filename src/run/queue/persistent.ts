import type { Clock } from '../../core/context.ts';
import { hasCode, type SyncerError } from '../../core/errors.ts';
import type { QueueAddress } from './queue-address.ts';
import { queueError } from './queue-error.ts';

/** Sends a command, and again as long as the queue is away. It may be carried out more than once. */
export type Persistent = <T>(command: () => Promise<T>) => Promise<T>;

/** How long a run waits for a queue that is away, and between two attempts, in milliseconds. */
const [PATIENCE_MS, PAUSE_MS] = [60_000, 250];

/**
 * Commands of a run: a queue that is away for up to a minute is waited for. Rejects with the words for people, and with
 * the signal's reason.
 *
 * @param tell told when the queue goes away, and when it is back
 */
export function persistent(
  address: QueueAddress,
  clock: Clock,
  signal: AbortSignal,
  tell: (text: string) => void = () => {},
): Persistent {
  // Commands that follow each other, as at the end of a run, share one minute.
  let awaySinceMs: number | undefined;
  return async (command) => {
    for (;;) {
      signal.throwIfAborted();
      try {
        const answer = await command();
        if (awaySinceMs !== undefined) tell('The queue answers again');
        awaySinceMs = undefined;
        return answer;
      } catch (thrown) {
        const error: SyncerError = queueError(thrown, address);
        if (!hasCode(error, 'unreachable')) throw error;
        const nowMs = clock.monotonic();
        if (awaySinceMs === undefined)
          tell(`${error.message}; waiting up to ${PATIENCE_MS / 1000} s`);
        awaySinceMs ??= nowMs;
        if (nowMs - awaySinceMs >= PATIENCE_MS) throw error;
        await clock.sleep(PAUSE_MS, signal);
      }
    }
  };
}
