import { SyncerError } from '../core/errors.ts';
import { foldName } from '../core/fold-name.ts';
import type { Remote } from '../core/remote.ts';
import { isWithin, joinPath } from '../core/remote-path.ts';
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

/**
 * Refuses a sync or move whose roots overlap, unless the filter keeps the run out of the inner one
 * (rclone: exit code 7).
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
  const innerPath = trimSlashes(trimSlashes(inner.root).slice(trimSlashes(outer.root).length));
  const keptOut = innerPath !== '' && !filter.passesAll && !filter.keepDir(innerPath);
  if (keptOut) return;
  throw new SyncerError(
    'fatal',
    `can't ${verb} files on overlapping remotes: "${inner.title}" lies in "${outer.title}"`,
  );
}

/** Refuses a backup directory that is elsewhere, or that overlaps the source or destination (exit code 7). */
export function refuseBackupOverlap(
  source: Remote,
  dest: Remote,
  backup: Remote,
  filter: Filter,
  suffix: string,
): void {
  if (backup.name !== dest.name || backup.traits.onDisk !== dest.traits.onDisk) {
    throw new SyncerError(
      'fatal',
      'parameter to --backup-dir has to be on the same remote as destination',
    );
  }
  for (const [what, remote] of [
    ['destination', dest],
    ['source', source],
  ] as const) {
    const how = overlap(remote, backup);
    if (how === 'apart' || (how === 'same' && remote === dest && suffix !== '')) continue;
    if (how === 'dest-in-source') {
      const inner = trimSlashes(trimSlashes(backup.root).slice(trimSlashes(remote.root).length));
      if (!filter.passesAll && !filter.keepDir(inner)) continue;
    }
    throw new SyncerError('fatal', `${what} and parameter to --backup-dir mustn't overlap`);
  }
}

/** Whether two paths mean one file. */
export function isSameFile(a: Remote, aPath: string, b: Remote, bPath: string): boolean {
  return isSameStore(a, b) && storePath(a, aPath) === storePath(b, bPath);
}

function isSameStore(a: Remote, b: Remote): boolean {
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
