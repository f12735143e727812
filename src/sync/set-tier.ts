import { SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { changeEachFile, type EachFile } from './each-file.ts';
import type { Run } from './run.ts';

/**
 * Moves files to another storage class, `width` in parallel. Rejects with `unsupported` if the remote has no classes.
 */
export async function setTierOfFiles(
  run: Run,
  remote: Remote,
  pages: AsyncIterable<readonly FileEntry[]>,
  { tier, width }: { readonly tier: string; readonly width: number },
): Promise<void> {
  const { setTier } = remote.can;
  if (setTier === undefined) {
    throw new SyncerError('unsupported', `${remote.title} does not support settier`);
  }
  const how: EachFile = { width, action: 'set tier', doing: 'set-tier' };
  await changeEachFile(run, pages, how, (file) => setTier(file, tier, run.op));
}
