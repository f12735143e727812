import { SyncerError } from '../../core/errors.ts';
import { applyPlan, type Left } from '../../review/apply-plan.ts';
import type { Plan } from '../../review/plan.ts';
import type { PlannedChange } from '../../review/planned-change.ts';
import type { Invocation } from '../command.ts';
import { withGuard } from './with-guard.ts';

const WORDS: Readonly<Record<Left['why'], string>> = {
  changed: 'Left as it is: it has changed since it was shown',
  new: 'Left as it is: it was not in the plan that was shown',
  missing: 'Not done: there was nothing to do about it any more',
};

/**
 * Runs a command so that it makes exactly the chosen changes of its plan. Both sides are looked at anew; what is no
 * longer what was shown is left as it is and told. Rejects with `precondition-failed` where there was any.
 */
export async function applyReview(
  invocation: Invocation,
  plan: Plan,
  chosen: ReadonlySet<PlannedChange>,
  run: (invocation: Invocation) => Promise<void>,
): Promise<void> {
  const { emit } = invocation.context;
  const tell = ({ path, why }: Left) =>
    emit({ type: 'log', level: 'notice', path, message: WORDS[why] });
  const application = applyPlan(plan, (change) => chosen.has(change), tell);
  await run(withGuard(invocation, application.guard));
  const missing = application.missing();
  missing.forEach(tell);
  const left = application.left.length + missing.length;
  if (left === 0) return;
  throw new SyncerError(
    'precondition-failed',
    `${left} ${left === 1 ? 'path was' : 'paths were'} left as they are, because they have changed since the review`,
    { advice: 'run it again with --review to see what is to do now' },
  );
}
