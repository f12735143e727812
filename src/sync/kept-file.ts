import { SyncerError } from '../core/errors.ts';
import { explain } from './reason.ts';
import type { FileWork } from './sync-files.ts';
import type { Transfer } from './transfer-queue.ts';

/**
 * Whether something keeps its place that the destination's listing left out: `--ignore-existing`, `--immutable`,
 * `--backup-dir` and `--suffix` hold for a symbolic link, too. Otherwise a new file replaces it. Throws where the file
 * then cannot be transferred.
 */
export async function isKept(
  { run, options, dest }: FileWork,
  { source, path }: Transfer,
): Promise<boolean> {
  const { ignoreExisting, immutable, backup } = options;
  if (!ignoreExisting && !immutable && backup === undefined) return false;
  const what = await dest.can.unlistedAt?.(path, run.op);
  if (what === undefined) return false;
  if (ignoreExisting) {
    run.log('notice', source.path, `Not copied, as ${what} stands there`);
    return true;
  }
  if (immutable) throw new SyncerError('no-retry', explain({ why: 'immutable' }));
  throw new SyncerError(
    'not-a-file',
    `${path}: ${what} stands there, of which there would be no backup`,
    {
      path,
      advice: 'move it away, or take links as they are with --links',
    },
  );
}
