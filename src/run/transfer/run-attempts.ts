import { toSyncerError } from '../../core/errors.ts';
import { figure } from '../../core/shown-text.ts';
import type { Budget } from '../../engine/loss/budget.ts';
import { type Run, retryRun, startRun } from '../../engine/run.ts';
import type { Changing, CommandCall, Remotes } from '../../shell/command-line/command.ts';
import { bucketGuard } from '../guards/bucket-guard.ts';

/**
 * Runs a command that changes things: again where another try may help (`--retries`). Rejects with what
 * decides the exit code: what `task` threw, else the errors it counted.
 *
 * @param budget how much all attempts may lose (`deleteBudget`); absent: nothing that counts
 */
export async function runAttempts(
  invocation: CommandCall & Remotes & Changing,
  task: (run: Run) => Promise<unknown>,
  budget?: Budget,
): Promise<void> {
  const { context, flags, consent, control } = invocation;
  const filter = await invocation.filter();
  const checkBuckets = bucketGuard(invocation);
  const setup = { context, filter, consent, control, checkBuckets, budget };
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

/**
 * As `runAttempts`; then `sum` writes how much was done: also if some of it failed, with the number of errors of the
 * last attempt as the end of its line.
 */
export async function runWithSum(
  invocation: CommandCall & Remotes & Changing,
  task: (run: Run) => Promise<unknown>,
  sum: (failed: string) => Promise<void>,
  budget?: Budget,
): Promise<void> {
  let failed = 0;
  const counting = (run: Run) =>
    task(run).finally(() => {
      failed = run.tally.count;
    });
  const failure = await failureOf(() => runAttempts(invocation, counting, budget));
  if (failure === undefined || failed > 0)
    await sum(failed === 0 ? '' : `; ${figure(failed)} failed`);
  if (failure !== undefined) throw failure;
}

async function failureOf(task: () => Promise<unknown>): Promise<unknown> {
  try {
    await task();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}
