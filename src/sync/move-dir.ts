import { toSyncerError } from '../core/errors.ts';
import { skippedMessage } from './dry-run.ts';
import { overlap } from './overlap.ts';
import type { RunSetup } from './run.ts';
import type { SyncPlan } from './sync-files.ts';

/**
 * Moves a whole tree by one rename where the store can, nothing is filtered and the destination does not
 * exist. `false`: not done, go file by file.
 */
export async function tryMoveDir({ context, filter }: RunSetup, plan: SyncPlan): Promise<boolean> {
  const { source, dest, options } = plan;
  const moveDirFrom = dest.can.moveDirFrom;
  if (moveDirFrom === undefined || !filter.passesAll || filter.maxDepth >= 0) return false;
  if (options.backup !== undefined || options.existing || overlap(source, dest) !== 'apart')
    return false;
  const op = { signal: context.signal };
  try {
    if ((await dest.stat('', op)) !== undefined || (await source.stat('', op)) === undefined)
      return false;
    if (options.dryRun) {
      context.emit({
        type: 'log',
        level: 'notice',
        path: dest.title,
        message: skippedMessage('server-side directory move'),
      });
      return true;
    }
    if (!(await moveDirFrom(source, '', '', op))) return false;
    context.emit({
      type: 'log',
      level: 'info',
      path: dest.title,
      message: 'Server side directory move succeeded',
    });
    return true;
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { message } = toSyncerError(thrown);
    context.emit({
      type: 'log',
      level: 'info',
      path: dest.title,
      message: `Server side directory move failed - fallback to file moves: ${message}`,
    });
    return false;
  }
}
