import type { ReviewContents, ReviewResult } from '../../review/review-keys.ts';
import type { ScreenTerminal } from '../../screen/screen-terminal.ts';
import type { Invocation } from '../command.ts';

/** Shows a plan on a terminal; resolves to the changes to make. */
export type ShowReview = (
  contents: ReviewContents,
  terminal: ScreenTerminal,
) => Promise<ReviewResult>;

/** A command whose changes can be looked at before they are made. */
export interface Reviewable {
  readonly title: string;
  readonly show: ShowReview;
  /** Why files go, where deleting is all the command does. */
  readonly deletesOnly?: string;
}

/**
 * Runs a command that changes things: with `--review` only what the user chose of its plan, with `--apply` only what a
 * saved plan holds, with `--dry-run` on a terminal with a hint at `--review`.
 */
export async function reviewed(
  invocation: Invocation,
  reviewable: Reviewable,
  run: (invocation: Invocation) => Promise<void>,
): Promise<void> {
  const { flags } = invocation;
  if (flags.apply !== undefined) {
    const { runSavedPlan } = await import('./run-review.ts');
    return runSavedPlan(invocation, reviewable, run);
  }
  if (flags.review || flags.save !== undefined) {
    const { runReview } = await import('./run-review.ts');
    return runReview(invocation, reviewable, run);
  }
  if (flags['dry-run'] && process.stdout.isTTY && process.stderr.isTTY) {
    const { dryRunWithHint } = await import('./dry-run-with-hint.ts');
    return dryRunWithHint(invocation, run);
  }
  return run(invocation);
}
