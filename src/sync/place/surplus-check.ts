import { SyncerError } from '../../core/errors.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { parentPath } from '../../core/remote-path.ts';
import type { Run } from '../run.ts';
import { overlapAt } from './overlap.ts';
import { showApart } from './show-apart.ts';

/** A sync that is about to delete what only the destination has. */
interface Deleting {
  readonly run: Run;
  readonly source: Remote;
  readonly dest: Remote;
}

/** Rejects where a file must not be deleted. */
export type SurplusCheck = (file: FileEntry) => Promise<void>;

/**
 * Keeps a sync from deleting its own source: where a link, a mount or a shortcut leads from the destination into it, or
 * where the destination shows it further below, as the server of a folder does that the source lies in.
 *
 * @param surplus all that is to be deleted
 * @param known a file of the source, best one with a path that no other file ends in
 */
export function surplusCheck(
  { run, source, dest }: Deleting,
  surplus: readonly FileEntry[],
  known: FileEntry | undefined,
): SurplusCheck {
  let shown: Promise<void> | undefined;
  const inSource = new Map<string, Promise<boolean>>();
  return async (file) => {
    shown ??= refuseShown({ run, source, dest }, surplus, known);
    await shown;
    const dir = parentPath(file.path);
    if (dest.can.place?.leadsAway?.(dir) !== true) return;
    const isIn = inSource.get(dir) ?? liesIn({ run, source, dest }, dir);
    inSource.set(dir, isIn);
    if (!(await isIn)) return;
    const message = `not deleted, as it lies in the source: "${dir}" leads into "${source.title}"`;
    throw new SyncerError('no-retry', message, { path: file.path });
  };
}

/** Whether a directory of the destination is one of the source, or in one. */
async function liesIn({ run, source, dest }: Deleting, dir: string): Promise<boolean> {
  if ((await run.places.overlap(source, dest)).how === 'dest-in-source') return false;
  const { how } = await overlapAt(source, dest, dir, run.op);
  return how === 'same' || how === 'dest-in-source';
}

/** Rejects where the source turns up among what is to be deleted. */
async function refuseShown(
  { run, source, dest }: Deleting,
  surplus: readonly FileEntry[],
  known: FileEntry | undefined,
): Promise<void> {
  if (known === undefined || (await run.places.areApart(dest, source))) return;
  const kept = { remote: source, file: known };
  if (run.filter.deleteExcluded) await run.places.showApart({ remote: dest, file: known }, kept);
  for (const file of surplus) {
    if (file.size !== known.size || !file.path.endsWith(`/${known.path}`)) continue;
    await showApart({ remote: dest, file }, kept, run.context.clock, run.op);
  }
}
