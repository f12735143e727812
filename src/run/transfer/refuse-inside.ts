import { SyncerError } from '../../core/errors.ts';
import { isTrashDir } from '../../core/own-names.ts';
import type { Remote } from '../../core/remote.ts';
import type { Sides } from '../../engine/action.ts';
import { overlap } from '../../engine/place/overlap.ts';
import type { Filter } from '../../filter/filter.ts';
import type { CommandCall, Remotes } from '../../shell/command-line/command.ts';

/**
 * Rejects with `fatal` for a directory with files of the program that is one of the sides, or lies in one where neither
 * the filter excludes it nor its name hides it.
 *
 * @param what names it, the flag; `dir` as the user typed it, nothing is done without one
 */
export async function refuseInside(
  { context, remotes }: CommandCall & Remotes,
  what: string,
  dir: string | undefined,
  sides: readonly Remote[],
  filter?: Filter,
): Promise<void> {
  if (!dir) return;
  const inner = await remotes.openDir(dir);
  for (const side of sides) {
    const { how, way } = await overlap(side, inner, { signal: context.signal });
    if ((how !== 'same' && how !== 'dest-in-source') || isTrashDir(way)) continue;
    if (how !== 'same' && filter?.keepDir(way) === false) continue;
    const lie = how === 'same' ? 'is' : 'is inside';
    const text = `${what}: "${inner.title}" ${lie} "${side.title}", and its files would count as files of the user`;
    const orElse =
      filter === undefined ? 'use --trash without --trash-dir' : 'exclude it with --exclude';
    throw new SyncerError('fatal', text, {
      advice: `name a directory outside of it, or ${orElse}`,
    });
  }
}

/** Rejects with `fatal` for a `--trash-dir` that cannot keep files of the destination, or lies in a side of a run over a tree. */
export async function refuseTrashDir(
  invocation: CommandCall & Remotes,
  { source, dest }: Sides,
  isFile = false,
): Promise<void> {
  const dir = invocation.flags['trash-dir'];
  if (!dir) return;
  const trash = await invocation.remotes.openDir(dir);
  if (trash.can.place?.store !== dest.can.place?.store) {
    const text = `--trash-dir: "${trash.title}" cannot keep files of "${dest.title}": they are on different servers`;
    throw new SyncerError('fatal', text, { advice: 'name a directory on the same one' });
  }
  if (!isFile) await refuseInside(invocation, '--trash-dir', dir, [source, dest]);
}
