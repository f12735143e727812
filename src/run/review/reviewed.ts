import type { ChangeGuard } from '../../engine/change-guard.ts';
import type { Command, Invocation } from '../../shell/command-line/command.ts';
import { logText } from '../../shell/log/log-text.ts';
import { isPlainTerminal } from '../../system/plain-terminal.ts';
import type { ScreenTerminal } from '../../terminal/screen-model.ts';
import type { TextDifference } from './difference-rows.ts';
import type { PlannedChange } from './planned-change.ts';
import type { ReviewContents, ReviewResult } from './review-state.ts';

/** Shows a plan on a terminal; resolves to the changes to make. */
export type ShowReview = (
  contents: ReviewContents,
  terminal: ScreenTerminal,
) => Promise<ReviewResult>;

/** A command whose changes can be looked at before they are made. */
export interface Reviewable {
  readonly title: string;
  /** Both its paths change. */
  readonly isTwoWay?: true;
  readonly show: ShowReview;
  /** How the two versions of a conflict differ, or why that cannot be shown. */
  readonly difference?: (
    invocation: Invocation,
    change: PlannedChange,
  ) => Promise<readonly TextDifference[] | string>;
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
  run: Command,
): Promise<void> {
  const { flags } = invocation;
  if (flags.apply !== undefined) {
    const { runSavedPlan } = await import('./run-saved-plan.ts');
    return runSavedPlan(invocation, reviewable, run);
  }
  if (flags.review || flags.save !== undefined) {
    const { runReview } = await import('./run-review.ts');
    return runReview(invocation, reviewable, run);
  }
  if (flags['dry-run'] && process.stdout.isTTY && process.stderr.isTTY) {
    return dryRunWithHint(invocation, run);
  }
  return run(invocation);
}

/**
 * `--dry-run` on a terminal: logs what would be done as everywhere, and then how to review it as a tree. Logs no hint if
 * flags say that the lines themselves are wanted, nor in plain mode.
 */
async function dryRunWithHint(invocation: Invocation, run: Command): Promise<void> {
  const { guard, context } = invocation;
  if (guard === undefined || !mayHint(invocation)) return run(invocation);
  let changes = 0;
  const counting: ChangeGuard = {
    ...guard,
    allows(action) {
      if (action.do !== 'set-dir') changes++;
      return guard.allows(action);
    },
  };
  await run({ ...invocation, guard: counting });
  if (changes === 0) return;
  const what = changes === 1 ? 'this change' : `these ${changes} changes`;
  context.emit(logText('notice', `To review ${what}, run with --review`));
}

function mayHint({ flags, env }: Invocation): boolean {
  const { verbose, quiet, progress } = flags;
  if (verbose > 0 || quiet || progress || flags['use-json-log'] || flags['log-file']) return false;
  return !isPlainTerminal(env) && !env['CI'];
}
