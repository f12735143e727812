import { hasCode, SyncerError } from '../../core/errors.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { isWithin, joinPath } from '../../core/remote-path.ts';
import type { PlaceLine } from '../../journal/journal-line.ts';
import type { RunChange } from '../../journal/read-run.ts';
import type { PlacesNow } from './places-now.ts';

/** What a run changed, and which of it is to be undone. */
interface ChangedPlaces {
  readonly places: readonly PlaceLine[];
  /** All changes of the run. */
  readonly changes: readonly RunChange[];
  readonly chosen: readonly RunChange[];
}

/**
 * Rejects with `directory-not-found` or `bucket-not-found` if a place of the chosen changes does not exist, or is an
 * empty directory of a disk without the trash that the run left in it: its disk is not mounted. A place that the run
 * itself has deleted or moved is created again by the undo, and one that it has created need not exist.
 */
export async function refuseMissingPlaces(
  now: PlacesNow,
  { places, changes, chosen }: ChangedPlaces,
  op: Op,
): Promise<void> {
  const removed = changes.flatMap((change) => removedRoot(change, places));
  const wanted = new Set(chosen.flatMap(({ place, from }) => [place, from?.place ?? place]));
  for (const place of wanted) {
    const { name = '', root = '' } = places[place] ?? {};
    if (removed.some((each) => each.name === name && isWithin(each.root, root))) continue;
    // Without it, all that the run did there is undone.
    if (changes.some((each) => isCreation(each) && each.place === place)) continue;
    const remote = await now.remote(place);
    if (!(await isEmpty(remote, op)) || !remote.traits.onDisk) continue;
    const kept = chosen.map((each) => each.place === place && (each.done?.kept ?? each.kept));
    const inTrash = kept.find((each) => each && each.in === 'trash');
    if (!inTrash || !('path' in inTrash)) continue;
    const trash = await now.trashOf(place);
    if ((await trash.stat(inTrash.path, op)) !== undefined) continue;
    throw new SyncerError('directory-not-found', `nothing undone: ${remote.title} is empty`, {
      advice: 'mount its disk, and try again',
    });
  }
}

/** The directory that a change of the run deleted or moved, with its remote. */
function removedRoot(
  { place, path, do: deed, dir, from }: RunChange,
  places: readonly PlaceLine[],
): readonly { readonly name: string; readonly root: string }[] {
  const isRemoval = deed === 'remove-dir' || (deed === 'delete' && dir === true);
  const gone = isRemoval ? { place, path } : dir === true ? from : undefined;
  const line = gone && places[gone.place];
  return line ? [{ name: line.name, root: joinPath(line.root, gone.path) }] : [];
}

/** Whether a change created the root of its place. */
function isCreation({ do: deed, path }: RunChange): boolean {
  return deed === 'make-dir' && path === '';
}

async function isEmpty(remote: Remote, op: Op): Promise<boolean> {
  try {
    const { entries, cursor } = await remote.listPage('', undefined, op);
    return entries.length === 0 && cursor === undefined;
  } catch (thrown) {
    if (hasCode(thrown, 'bucket-not-found', 'directory-not-found')) throw missing(thrown, remote);
    // The undo reports it for each path.
    return false;
  }
}

function missing({ code }: SyncerError, { title, traits }: Remote): SyncerError {
  const mount = traits.onDisk ? 'mount its disk or ' : '';
  return new SyncerError(code, `nothing undone: ${title} does not exist`, {
    advice: `${mount}create it, and try again`,
  });
}
