import type { Clock } from '../core/context.ts';
import { hasCode, type SyncerError } from '../core/errors.ts';
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
  let isAway = false;
  return async (command) => {
    for (const begun = clock.monotonic(); ; ) {
      signal.throwIfAborted();
      try {
        const answer = await command();
        if (isAway) tell('The queue answers again');
        isAway = false;
        return answer;
      } catch (thrown) {
        const error: SyncerError = queueError(thrown, address);
        const mayHelp = hasCode(error, 'unreachable') && clock.monotonic() - begun < PATIENCE_MS;
        if (!mayHelp) throw error;
        if (!isAway) tell(`${error.message}; waiting up to ${PATIENCE_MS / 1000} s`);
        isAway = true;
        await clock.sleep(PAUSE_MS, signal);
      }
    }
  };
}
