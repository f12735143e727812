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
 */
export function persistent(address: QueueAddress, clock: Clock, signal: AbortSignal): Persistent {
  return async (command) => {
    for (const begun = clock.monotonic(); ; ) {
      signal.throwIfAborted();
      try {
        return await command();
      } catch (thrown) {
        const error: SyncerError = queueError(thrown, address);
        const mayHelp = hasCode(error, 'unreachable') && clock.monotonic() - begun < PATIENCE_MS;
        if (!mayHelp) throw error;
        await clock.sleep(PAUSE_MS, signal);
      }
    }
  };
}
