import type { Context } from '../core/context.ts';
import type { Attempt } from './sync.ts';

/** How often a whole operation is tried. */
export interface RetryRules {
  /** Attempts in all (`--retries`). */
  readonly retries: number;
  /** Pause between attempts, in milliseconds (`--retries-sleep`). */
  readonly sleepMs: number;
}

/**
 * Makes attempts until one goes well, another would not help, or `retries` were made. Rejects with the error
 * that decides the exit code. Resolves to the number of files transferred by all attempts.
 */
export async function retryRun(
  context: Context,
  { retries, sleepMs }: RetryRules,
  attempt: () => Promise<Attempt>,
): Promise<number> {
  const base = { type: 'log', level: 'error' } as const;
  let transferred = 0;
  for (let n = 1; ; n++) {
    const result = await attempt();
    transferred += result.transferred;
    const { error, errors } = result;
    if (error === undefined) {
      const fields = { attempt: n, of: retries };
      if (n > 1) context.emit({ ...base, code: 'attempt-succeeded', fields });
      return transferred;
    }
    context.signal.throwIfAborted();
    if (!result.worthRetrying) throw error;
    const fields = { attempt: n, of: retries, errors, why: error };
    context.emit({ ...base, code: 'attempt-failed', fields });
    if (n >= retries) throw error;
    context.emit({ type: 'retry-run', attempt: n + 1, of: retries });
    await context.clock.sleep(sleepMs, context.signal);
  }
}
