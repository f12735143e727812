import { SyncerError } from '../../src/core/errors.ts';
import { applyEach, applySteps } from '../apply/apply-steps.ts';
import type { World } from '../apply/job.ts';
import type { Prepared } from './prepared.ts';

/** Does what was prepared. Rejects with what failed. */
export async function perform(
  { plan, allOrNothing }: Extract<Prepared, { outcome: 'ready' }>,
  world: World,
): Promise<void> {
  if (allOrNothing) return applySteps(plan.steps, world);
  const [failure, ...more] = await applyEach(plan.steps, world);
  if (failure === undefined) return;
  const texts = [failure, ...more].map(({ message }) => message);
  throw new SyncerError(failure.code, texts.join('; '));
}
