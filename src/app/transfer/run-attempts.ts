import { toSyncerError } from '../../core/errors.ts';
import { type Run, retryRun, startRun } from '../../sync/run.ts';
import type { Invocation } from '../command.ts';

/**
 * Runs a command that changes things: again where another try may help (`--retries`). Rejects with what
 * decides the exit code: what `task` threw, else the errors it counted.
 */
export async function runAttempts(
  invocation: Invocation,
  task: (run: Run) => Promise<unknown>,
): Promise<void> {
  const { context, flags, guard, control } = invocation;
  const filter = await invocation.filter();
  const setup = {
    context,
    filter,
    guard,
    control,
  };
  await retryRun(context, { retries: flags.retries, sleepMs: flags['retries-sleep'] }, async () => {
    const run = startRun(setup);
    const leave = control?.enter();
    const thrown = await failureOf(() => task(run));
    leave?.();
    const { deciding, count, worthRetrying } = run.tally;
    const attempt = { error: deciding, errors: count, worthRetrying, transferred: 0 };
    if (thrown === undefined || deciding?.stop) return attempt;
    const error = toSyncerError(thrown);
    return { ...attempt, error, errors: count + 1, worthRetrying: worthRetrying || error.retry };
  });
}

async function failureOf(task: () => Promise<unknown>): Promise<unknown> {
  try {
    await task();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}
