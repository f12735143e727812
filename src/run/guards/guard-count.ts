import type { Invocation } from '../../shell/command-line/command.ts';
import type { Listing } from '../listing/open-listing.ts';

/**
 * The guard `count` of `delete` and `purge`: rejects with `guarded` before anything is deleted if the listing has more
 * files. Opens no listing without the guard.
 */
export async function guardCount(
  invocation: Invocation,
  listing: () => Listing | Promise<Listing>,
): Promise<void> {
  if (invocation.flags.guard === undefined) return;
  const { countFiles, countOf, refuseCount } = await import('./count-guard.ts');
  await refuseCount(invocation, countOf(invocation), async () => countFiles(await listing()));
}
