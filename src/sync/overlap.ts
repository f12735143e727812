import { SyncerError } from '../core/errors.ts';
import { foldName } from '../core/fold-name.ts';
import type { Remote } from '../core/remote.ts';
import { isWithin, joinPath, leafName } from '../core/remote-path.ts';
import type { Filter } from '../filter/filter.ts';

/** How the roots of two remotes lie to each other. */
export type Overlap = 'apart' | 'same' | 'source-in-dest' | 'dest-in-source';

/**
 * Compares by store (`Remote.name` and kind of root) and by whole path segments: `src` and `src2` are apart, and so
 * are `src` and `SRC` unless the store takes them for one.
 */
export function overlap(source: Remote, dest: Remote): Overlap {
  if (!isSameStore(source, dest)) return 'apart';
  const [a, b] = [storePath(source, ''), storePath(dest, '')];
  if (a === b) return 'same';
  if (isWithin(b, a)) return 'source-in-dest';
  return isWithin(a, b) ? 'dest-in-source' : 'apart';
}

/** Whether one directory has both names, which differ in their case only: it can be renamed, and nothing else be done. */
export function isOtherCase(source: Remote, dest: Remote): boolean {
  if (overlap(source, dest) !== 'same') return false;
  return leafName(trimSlashes(source.root)) !== leafName(trimSlashes(dest.root));
}

/**
 * Refuses a sync or move whose roots overlap, unless the destination is the inner one and the filter keeps the run out
 * of it (rclone: exit code 7). A source inside the destination is in danger whatever the filter says: it is taken for
 * what only the destination has.
 */
export function refuseOverlap(
  source: Remote,
  dest: Remote,
  filter: Filter,
  verb: 'sync' | 'move',
): void {
  const how = overlap(source, dest);
  if (how === 'apart') return;
  const [outer, inner] = how === 'source-in-dest' ? [dest, source] : [source, dest];
  if (how === 'dest-in-source' && isKeptOut(filter, outer, inner)) return;
  throw new SyncerError(
    'fatal',
    `can't ${verb} files on overlapping remotes: "${inner.title}" lies in "${outer.title}"`,
  );
}

/** Whether the filter keeps a run in `outer` out of `inner`, which lies in it. */
function isKeptOut(filter: Filter, outer: Remote, inner: Remote): boolean {
  const path = trimSlashes(trimSlashes(inner.root).slice(trimSlashes(outer.root).length));
  return path !== '' && !filter.passesAll && !filter.keepDir(path);
}

/** Where a run puts what it replaces, and between which roots it goes. */
interface BackupPlace {
  readonly source: Remote;
  readonly dest: Remote;
  readonly backup: Remote;
  readonly suffix: string;
}

/** Refuses a backup directory that is elsewhere, or that overlaps the source or destination (exit code 7). */
export function refuseBackupOverlap(place: BackupPlace, filter: Filter): void {
  const { dest, backup, suffix } = place;
  refuseForeignBackup(place);
  refuseBackupAt(place, 'overlap', (remote) => {
    const how = overlap(remote, backup);
    if (how === 'same' && remote === dest) return suffix === '';
    if (how === 'dest-in-source') return !isKeptOut(filter, remote, backup);
    return how !== 'apart';
  });
}

/**
 * The same for one file, which is all that the run touches: only a backup that would be put in the place of the file
 * itself is refused, as in rclone (exit code 7).
 */
export function refuseBackupInPlace(place: BackupPlace): void {
  const { backup, suffix } = place;
  refuseForeignBackup(place);
  refuseBackupAt(
    place,
    'be the same',
    (remote) => suffix === '' && overlap(remote, backup) === 'same',
  );
}

function refuseBackupAt(
  { source, dest }: BackupPlace,
  wrong: string,
  isWrong: (side: Remote) => boolean,
): void {
  for (const [what, side] of [
    ['destination', dest],
    ['source', source],
  ] as const) {
    if (!isWrong(side)) continue;
    throw new SyncerError('fatal', `${what} and parameter to --backup-dir mustn't ${wrong}`);
  }
}

function refuseForeignBackup({ dest, backup }: BackupPlace): void {
  if (!isSameStore(backup, dest)) {
    throw new SyncerError(
      'fatal',
      'parameter to --backup-dir has to be on the same remote as destination',
    );
  }
}

/** Whether two paths mean one file. */
export function isSameFile(a: Remote, aPath: string, b: Remote, bPath: string): boolean {
  return isSameStore(a, b) && storePath(a, aPath) === storePath(b, bPath);
}

/** Whether two remotes are parts of one, of the same configuration. */
export function isSameStore(a: Remote, b: Remote): boolean {
  return a.name === b.name && a.traits.onDisk === b.traits.onDisk;
}

/** The path from the top of the store; paths that the store does not tell apart are equal. */
function storePath({ root, traits }: Remote, path: string): string {
  const whole = joinPath(trimSlashes(root), path);
  return traits.caseInsensitive ? foldName(whole) : whole;
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
