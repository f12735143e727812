import { systemClock } from '../../src/core/context.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { applyEach, applySteps } from '../apply/apply-steps.ts';
import type { World } from '../apply/job.ts';
import type { InstallerIo } from '../installer-io.ts';
import { releaseClient } from '../release/release-client.ts';
import type { Prepared } from './prepare.ts';

/** Does what was prepared. Rejects with what failed. */
export async function perform(
  { plan, allOrNothing }: Extract<Prepared, { outcome: 'ready' }>,
  { signal, env, clock = systemClock }: InstallerIo,
  about: Pick<World, 'options' | 'services' | 'emit'>,
): Promise<void> {
  const releases = await releaseClient(about.options, env);
  const world = { ...about, releases, clock, signal };
  try {
    if (allOrNothing) return await applySteps(plan.steps, world);
    const [failure, ...more] = await applyEach(plan.steps, world);
    if (failure === undefined) return;
    const texts = [failure, ...more].map(({ message }) => message);
    throw new SyncerError(failure.code, texts.join('; '));
  } finally {
    releases.close();
  }
}
