import { SyncerError } from '../../core/errors.ts';
import { isOwnPath } from '../../core/own-names.ts';
import type { Remote } from '../../core/remote.ts';
import { overlap } from '../../sync/place/overlap.ts';
import type { Invocation } from '../command.ts';

/** Rejects with `fatal` for a `--trash-dir` that is a directory of the run, or lies in one and is not hidden there. */
export async function refuseTrashInside(
  { flags, remotes, context }: Invocation,
  sides: readonly Remote[],
): Promise<void> {
  const dir = flags['trash-dir'];
  if (!dir) return;
  const trash = await remotes.openDir(dir);
  for (const side of sides) {
    const { how, way } = await overlap(side, trash, { signal: context.signal });
    if ((how !== 'same' && how !== 'dest-in-source') || isOwnPath(way)) continue;
    const lie = how === 'same' ? 'is' : 'is inside';
    const text = `--trash-dir: "${trash.title}" ${lie} "${side.title}", and its files would count as files of the user`;
    const advice = 'name a directory outside of it, or use --trash without --trash-dir';
    throw new SyncerError('fatal', text, { advice });
  }
}
