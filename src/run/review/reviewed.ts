import { isBackup } from '../../engine/action.ts';
import type { Consent } from '../../engine/consent.ts';
import { logText } from '../../shell/log/log-text.ts';
import { isPlainTerminal } from '../../system/plain-terminal.ts';
import type { Reviewable, ReviewNeeds } from './run-review.ts';

/**
 * Runs a command that changes things: with `--review` only what the user chose of its plan, with `--apply` only what a
 * saved plan holds, with `--dry-run` on a terminal with a hint at `--review`.
 */
export async function reviewed<Needs extends ReviewNeeds>(
  invocation: Needs,
  reviewable: Reviewable,
  act: (under: Needs) => Promise<void>,
): Promise<void> {
  const { consent, context, flags, env } = invocation;
  if (flags.apply !== undefined) {
    const { runSavedPlan } = await import('./run-review.ts');
    return runSavedPlan(invocation, reviewable, act);
  }
  if (flags.review || flags.save !== undefined) {
    const { runReview } = await import('./run-review.ts');
    return runReview(invocation, reviewable, act);
  }
  const isOnTerminal = process.stdout.isTTY && process.stderr.isTTY;
  if (!flags['dry-run'] || !isOnTerminal || consent.how !== 'pretend') return act(invocation);
  // No hint if flags say that the lines themselves are wanted, nor in plain mode.
  const { verbose, quiet, progress, 'use-json-log': json, 'log-file': file } = flags;
  const isForLines = verbose > 0 || quiet || progress || json || file;
  if (isForLines || isPlainTerminal(env) || env['CI']) return act(invocation);
  let changes = 0;
  const counting: Consent = {
    how: 'pretend',
    onChange(action) {
      if (action.do !== 'set-dir' && !isBackup(action)) changes++;
    },
  };
  await act({ ...invocation, consent: counting });
  if (changes === 0) return;
  const what = changes === 1 ? 'this change' : `these ${changes} changes`;
  context.emit(logText('notice', `To review ${what}, run with --review`));
}
