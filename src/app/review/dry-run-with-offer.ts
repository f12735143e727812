import type { ChangeGuard } from '../../sync/change-guard.ts';
import type { Invocation } from '../command.ts';
import { readsInput } from '../flags/reads-input.ts';
import type { Reviewable } from './reviewed.ts';
import { isOnTerminal, runReview } from './run-review.ts';

/**
 * `--dry-run` on a terminal: logs all changes as everywhere, and then offers to review them as a tree and to apply
 * the chosen ones. No offer if flags request the lines themselves, or in plain mode.
 */
export async function dryRunWithOffer(
  invocation: Invocation,
  reviewable: Reviewable,
  run: (invocation: Invocation) => Promise<void>,
): Promise<void> {
  const { guard, context } = invocation;
  if (guard === undefined || !mayOffer(invocation)) return run(invocation);
  let changes = 0;
  const counting: ChangeGuard = {
    ...guard,
    allows(change) {
      changes++;
      return guard.allows(change);
    },
  };
  await run({ ...invocation, guard: counting });
  if (changes === 0) return;
  const go = invocation.holdClock();
  const wanted = await isWanted(changes, context.signal).finally(go);
  if (!wanted) return;
  await runReview(invocation, reviewable, run);
}

function mayOffer({ flags, env }: Invocation): boolean {
  const { verbose, quiet, progress } = flags;
  if (verbose > 0 || quiet || progress || flags['use-json-log'] || flags['log-file']) return false;
  if (readsInput(flags)) return false;
  if (env['SYNCER_PLAIN'] || env['TERM'] === 'dumb' || env['CI']) return false;
  return process.stderr.isTTY === true && isOnTerminal();
}

/** Reads a whole line, so that input typed ahead for the shell is no answer; only `y` means yes. */
async function isWanted(changes: number, signal: AbortSignal): Promise<boolean> {
  const { stdin, stderr } = process;
  const what = changes === 1 ? 'this change' : `these ${changes} changes`;
  stderr.write(`Review ${what} now? [y/N] `);
  let typed = '';
  const { promise, resolve } = Promise.withResolvers<void>();
  const onData = (chunk: Buffer) => {
    typed += String(chunk);
    if (typed.includes('\n')) resolve();
  };
  const stop = () => resolve();
  signal.addEventListener('abort', stop);
  stdin.on('data', onData).on('end', stop).resume();
  await promise;
  stdin.off('data', onData).off('end', stop).pause();
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  return /^\s*y(es)?\s*\n/i.test(typed);
}
