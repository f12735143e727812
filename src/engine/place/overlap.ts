import { SyncerError } from '../../core/errors.ts';
import { foldName } from '../../core/name-order.ts';
import { type Ancestor, ancestorsOf, type Lineage, remoteId } from '../../core/place.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { joinPath, leafName } from '../../core/remote-path.ts';
import type { Filter } from '../../filter/filter.ts';

/** How the roots of two remotes overlap. */
export interface Overlap {
  readonly how: 'apart' | 'same' | 'source-in-dest' | 'dest-in-source';
  /** The path from the outer root to the inner one. */
  readonly way: string;
}

/**
 * Compares two roots by their names in the configuration and by their places, whatever their names: the files of a
 * disk by device and inode, objects by endpoint, bucket and key, items of a drive by their ids. Whole path segments
 * count: `src` and `src2` are apart, and so are `src` and `SRC` unless the remote treats them as one. Sends requests
 * only if names do not decide.
 */
export async function overlap(source: Remote, dest: Remote, op: Op): Promise<Overlap> {
  const named = compare(namesOf(source, dest), namesOf(dest, source));
  if (named.how !== 'apart') return named;
  return overlapAt(source, dest, '', op);
}

/** The same for a root and a directory that is reached by another way. */
export async function overlapAt(
  source: Remote,
  dest: Remote,
  dir: string,
  op: Op,
): Promise<Overlap> {
  const [a, b] = await Promise.all([
    lineageOf(source, '', dest, op),
    lineageOf(dest, dir, source, op),
  ]);
  return compare(a, b);
}

/** The place of a root by itself, to compare with that of another process, whose configuration may be another. */
export async function placeOf(remote: Remote, op: Op): Promise<Lineage> {
  const { place } = remote.can;
  return place === undefined ? namesOf(remote, remote) : place.lineage('', op);
}

/** Whether one of two places is the other or lies in it. */
export function placesOverlap(a: Lineage, b: Lineage): boolean {
  if (compare(a, b).how !== 'apart') return true;
  // A directory that one of them has seen before it was created has no identity in common with itself.
  const rests = new Map(a.ancestors.map(({ id, rest }) => [id, rest]));
  return b.ancestors.some(({ id, rest }) => {
    const other = rests.get(id);
    return other !== undefined && (isAtOrBelow(rest, other) || isAtOrBelow(other, rest));
  });
}

function isAtOrBelow(path: string, dir: string): boolean {
  return path === dir || path.startsWith(`${dir}/`);
}

/** Whether one directory has both names, which differ in their case only: it can be renamed, and nothing else. */
export function isOtherCase(source: Remote, dest: Remote): boolean {
  if (compare(namesOf(source, dest), namesOf(dest, source)).how !== 'same') return false;
  return leafName(trimSlashes(source.root)) !== leafName(trimSlashes(dest.root));
}

/** Whether two remotes are parts of one, of the same configuration. */
export function isSameStore(a: Remote, b: Remote): boolean {
  return a.name === b.name && a.traits.onDisk === b.traits.onDisk;
}

/** By the name in the configuration, which a mount reports for a remote, too; as it is compared with another remote. */
function namesOf({ name, root, traits, can }: Remote, other: Remote, dir = ''): Lineage {
  const whole = other.traits.onDisk ? can.place?.rootPath?.() : undefined;
  const top = trimSlashes(whole ?? root);
  const path = dir === '' ? top : joinPath(top, dir);
  const fold = can.naming === undefined && traits.caseInsensitive ? foldName : undefined;
  const before = traits.onDisk ? `local ${name}:` : remoteId(name, '');
  return { ancestors: ancestorsOf(before, path, fold) };
}

/** The place of a remote beyond its name, if the other one may have the same. */
async function lineageOf(remote: Remote, dir: string, other: Remote, op: Op): Promise<Lineage> {
  const [own, its] = [remote.can.place, other.can.place];
  const { ancestors } = namesOf(remote, other, dir);
  if (own === undefined || (own.kind !== 'disk' && own.kind !== its?.kind)) return { ancestors };
  const lineage = await own.lineage(dir, op);
  return { ...lineage, ancestors: [...ancestors, ...lineage.ancestors] };
}

function compare(source: Lineage, dest: Lineage): Overlap {
  const [a, b] = [idsOf(source), idsOf(dest)];
  if (dest.ancestors.some(({ id, rest }) => rest === '' && a.has(id))) {
    return { how: 'same', way: '' };
  }
  const up = source.ancestors.find(({ id }) => b.has(id))?.rest ?? heldBy(dest, source);
  if (up !== undefined) return { how: 'source-in-dest', way: up };
  const down = dest.ancestors.find(({ id }) => a.has(id))?.rest ?? heldBy(source, dest);
  return down === undefined ? { how: 'apart', way: '' } : { how: 'dest-in-source', way: down };
}

function idsOf({ ancestors }: Lineage): ReadonlySet<string> {
  return new Set(ancestors.filter(({ rest }) => rest === '').map(({ id }) => id));
}

/** The path to what is visible below `outer` although it is elsewhere. */
function heldBy({ holds = [] }: Lineage, inner: Lineage): string | undefined {
  for (const { id, path } of holds) {
    const from = inner.ancestors.find((ancestor: Ancestor) => ancestor.id === id);
    if (from !== undefined) return joinPath(path, from.rest);
  }
  return undefined;
}

const trimSlashes = (path: string): string => path.replace(/^\/+|\/+$/g, '');

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
  const text = `can't ${verb} files on overlapping remotes: "${inner.title}" ${lie} "${outer.title}"`;
  throw new SyncerError('fatal', text);
}

/** Whether the filter excludes the directory that `way` leads to. */
export function isKeptOut(filter: Filter, way: string): boolean {
  return way !== '' && !filter.passesAll && !filter.keepDir(way);
}
