import { SyncerError } from '../../core/errors.ts';
import type { Op, Remote } from '../../core/remote.ts';
import type { Filter } from '../../filter/filter.ts';
import { isSameStore, type Overlap, overlap } from './overlap.ts';

/**
 * Refuses a sync or move whose roots overlap, unless the destination is the inner one and the filter excludes it
 * (rclone: exit code 7). A source inside the destination is always in danger: it would count as extra there.
 */
export function refuseOverlap(
  { how, way }: Overlap,
  { source, dest }: { readonly source: Remote; readonly dest: Remote },
  filter: Filter,
  verb: 'sync' | 'move',
): void {
  if (how === 'apart') return;
  const [outer, inner] = how === 'source-in-dest' ? [dest, source] : [source, dest];
  if (how === 'dest-in-source' && isKeptOut(filter, way)) return;
  const lie = how === 'same' ? 'is the same as' : 'is inside';
  throw new SyncerError(
    'fatal',
    `can't ${verb} files on overlapping remotes: "${inner.title}" ${lie} "${outer.title}"`,
  );
}

/** Whether the filter excludes the directory that `way` leads to. */
function isKeptOut(filter: Filter, way: string): boolean {
  return way !== '' && !filter.passesAll && !filter.keepDir(way);
}

/** The backup directory of a run, and its roots. */
interface BackupPlace {
  readonly source: Remote;
  readonly dest: Remote;
  readonly backup: Remote;
  readonly suffix: string;
}

/** Refuses a backup directory on another remote, or one that overlaps the source or destination (exit code 7). */
export async function refuseBackupOverlap(
  place: BackupPlace,
  filter: Filter,
  op: Op,
): Promise<void> {
  const { dest, suffix } = place;
  await refuseBackupAt(place, 'overlap', op, ({ how, way }, remote) => {
    if (how === 'same' && remote === dest) return suffix === '';
    if (how === 'dest-in-source') return !isKeptOut(filter, way);
    return how !== 'apart';
  });
}

/**
 * The same for a run with one file: only a backup that would replace the file itself is refused, as in rclone (exit
 * code 7).
 */
export async function refuseBackupInPlace(place: BackupPlace, op: Op): Promise<void> {
  const isWrong = ({ how }: Overlap) => place.suffix === '' && how === 'same';
  await refuseBackupAt(place, 'be the same', op, isWrong);
}

async function refuseBackupAt(
  { source, dest, backup }: BackupPlace,
  wrong: string,
  op: Op,
  isWrong: (overlap: Overlap, side: Remote) => boolean,
): Promise<void> {
  if (!isSameStore(backup, dest)) {
    throw new SyncerError(
      'fatal',
      'parameter to --backup-dir has to be on the same remote as destination',
    );
  }
  for (const [what, side] of [
    ['destination', dest],
    ['source', source],
  ] as const) {
    if (!isWrong(await overlap(side, backup, op), side)) continue;
    throw new SyncerError('fatal', `${what} and parameter to --backup-dir mustn't ${wrong}`);
  }
}
