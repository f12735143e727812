import type { ReplacedOnly } from '../core/change-details.ts';
import type { FileEntry, Op, Remote } from '../core/remote.ts';
import type { Trash } from './trash.ts';

/**
 * Keeps a file that is about to be replaced, at the path `keep` of the trash. Returns the call with what may be
 * replaced then (`ChangeDetails.replacesOnly`); without it for anything, because it is not kept here.
 */
export async function keepReplaced(
  remote: Remote,
  trash: Trash,
  file: FileEntry | 'nothing' | 'unknown',
  keep: string | undefined,
  op: Op,
): Promise<Op> {
  const over = (replacesOnly: ReplacedOnly<FileEntry>) => ({
    ...op,
    change: { ...op.change, replacesOnly },
  });
  if (file === 'unknown') return op;
  if (file === 'nothing') return (await trash.serverKeeps('replaced', op)) ? op : over({ file });
  if (keep === undefined) return op;
  const stamp = remote.can.stamp?.(file);
  await trash.keepCopy(file, keep, op);
  return over({ file, stamp });
}
