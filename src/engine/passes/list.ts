import type { PassGround } from '../file-work.ts';
import type { Pass } from '../pass.ts';
import { backupPass, suffixPass } from './backups.ts';
import { casePass } from './case.ts';
import { guardPass } from './guard.ts';
import { limitPass } from './limits.ts';
import { rangesPass } from './ranges.ts';
import { referencePass } from './references.ts';
import { unlistedPass } from './unlisted.ts';

/**
 * The passes of a run, in the order in which they are asked.
 *
 * @param own of the caller
 */
export function passesOf(work: PassGround, own: readonly Pass[] = []): readonly Pass[] {
  const passes: readonly (Pass | undefined)[] = [
    casePass(work),
    limitPass(work.limit),
    unlistedPass(work),
    ...(work.more ?? []),
    suffixPass(work),
    ...own,
    backupPass(work),
    guardPass(work),
    referencePass(work),
    rangesPass(work),
  ];
  return passes.filter((pass) => pass !== undefined);
}
