import { SyncerError } from '../../core/errors.ts';
import { applyPlan, type Left } from '../../review/apply-plan.ts';
import type { Plan } from '../../review/plan.ts';
import { planText } from '../../review/plan-text.ts';
import type { PlannedChange } from '../../review/planned-change.ts';
import type { Invocation } from '../command.ts';
import { readsInput } from '../flags/reads-input.ts';
import { logText } from '../log/log-text.ts';
import { screenTerminal } from '../output/screen-terminal.ts';
import { jobControl } from '../process/job-control.ts';
import { type PlannedRun, planRun } from './plan-run.ts';
import type { Reviewable } from './reviewed.ts';

const WORDS: Readonly<Record<Left['why'], string>> = {
  changed: 'Skipped: changed since the plan was shown',
  new: 'Skipped: not in the plan',
  missing: 'Skipped: no longer needed',
};

/**
 * `--review`: plans the run, shows the plan, and makes the changes that were chosen. Where there is no terminal the plan
 * is printed and nothing is changed.
 */
export async function runReview(
  invocation: Invocation,
  reviewable: Reviewable,
  run: (invocation: Invocation) => Promise<void>,
): Promise<void> {
  const { flags, out } = invocation;
  if (flags.interactive) {
    throw new SyncerError('usage', "can't use --review and --interactive together");
  }
  const comeBack = invocation.stepAside?.();
  const onTerminal = isOnTerminal() && !readsInput(flags);
  const planned = await planRun(invocation, reviewable.deletesOnly, onTerminal, run);
  if (!onTerminal || planned.plan.size === 0) {
    planned.tell();
    for (const line of planText(planned.plan)) await out.write(line);
    if (planned.error !== undefined) throw planned.error;
    return;
  }
  await showAndApply(invocation, reviewable, planned, run, comeBack);
}

/** Shows a plan on the terminal and makes the changes that were chosen. */
async function showAndApply(
  invocation: Invocation,
  { title, show }: Reviewable,
  { plan, problems, error, tell }: PlannedRun,
  run: (invocation: Invocation) => Promise<void>,
  comeBack?: () => void,
): Promise<void> {
  const { args, out } = invocation;
  const readOnly = invocation.flags['dry-run'] && invocation.flags.review;
  const terminal = screenTerminal(invocation);
  const subject = args.join(` ${terminal.look.glyphs.arrow} `);
  const chosen = await show({ plan, title, subject, problems, readOnly }, terminal);
  if (chosen === undefined) {
    tell();
    await out.write('Nothing was changed.\n');
    if (error !== undefined) throw error;
    return;
  }
  comeBack?.();
  await applyReview(invocation, plan, chosen, run);
}

/** A person can be shown something: a job in the background has no terminal. */
export function isOnTerminal(): boolean {
  const { stdin, stdout } = process;
  return stdin.isTTY === true && stdout.isTTY === true && jobControl(process).isForeground();
}

/**
 * Runs a command so that it makes exactly the chosen changes of its plan. Both sides are listed again; what is no
 * longer what was shown is left as it is and told. Rejects with `precondition-failed` where there was any.
 */
async function applyReview(
  invocation: Invocation,
  plan: Plan,
  chosen: ReadonlySet<PlannedChange>,
  run: (invocation: Invocation) => Promise<void>,
): Promise<void> {
  const { emit } = invocation.context;
  const tell = ({ path, why }: Left) => emit(logText('notice', WORDS[why], path));
  const application = applyPlan(plan, (change) => chosen.has(change), tell);
  await run({ ...invocation, guard: application.guard });
  const missing = application.missing();
  missing.forEach(tell);
  const left = application.left.length + missing.length;
  if (left === 0) return;
  throw new SyncerError(
    'precondition-failed',
    `${left} ${left === 1 ? 'path was' : 'paths were'} skipped because they changed since the review`,
    { advice: 'run it again with --review to see the remaining changes' },
  );
}
