import { SyncerError } from '../../core/errors.ts';
import { foldName } from '../../core/name-order.ts';
import { ancestorsOf, type Lineage, remoteId } from '../../core/place.ts';
import type { Op, Remote } from '../../core/remote.ts';
import { joinPath, leafName } from '../../core/remote-path.ts';
import type { Filter } from '../../filter/filter.ts';
import type { Sides } from '../action.ts';

/** How the roots of two remotes overlap. */
export interface Overlap {
  readonly how: 'apart' | 'same' | 'source-in-dest' | 'dest-in-source';
  /** The path from the outer root to the inner one. */
  readonly way: string;
}

const OUTER_SLASHES = /^\/+|\/+$/g;

/**
 * Compares two roots by their names in the configuration and by their places, whatever their names: the files of a
 * disk by device and inode, objects by endpoint, bucket and key, items of a drive by their ids. Whole path segments
 * count: `src` and `src2` are apart, and so are `src` and `SRC` unless the remote treats them as one. Sends requests
 * only if names do not decide.
 */
export async function overlap(source: Remote, dest: Remote, op: Op): Promise<Overlap> {
  const names = [namesOf(source, dest), namesOf(dest, source)] as const;
  const named = compare(...names);
  return named.how === 'apart' ? overlapAt(source, dest, '', op, names) : named;
}

/**
 * The same for a root and a directory that is reached by another way.
 *
 * @param names `namesOf` both
 */
export async function overlapAt(
  source: Remote,
  dest: Remote,
  dir: string,
  op: Op,
  names: readonly [Lineage, Lineage] = [namesOf(source, dest), namesOf(dest, source, dir)],
): Promise<Overlap> {
  const [a, b] = await Promise.all([
    lineageOf(source, names[0], '', dest, op),
    lineageOf(dest, names[1], dir, source, op),
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
  const [a, b] = [source, dest].map(({ root }) => leafName(root.replace(OUTER_SLASHES, '')));
  return a !== b;
}

/** Whether two remotes are parts of one, of the same configuration. */
export function isSameStore(a: Remote, b: Remote): boolean {
  return a.name === b.name && a.traits.onDisk === b.traits.onDisk;
}

/** By the name in the configuration, which a mount reports for a remote, too; as it is compared with another remote. */
function namesOf({ name, root, traits, can }: Remote, other: Remote, dir = ''): Lineage {
  const whole = other.traits.onDisk ? can.place?.rootPath?.() : undefined;
  const top = (whole ?? root).replace(OUTER_SLASHES, '');
  const path = dir === '' ? top : joinPath(top, dir);
  const fold = can.naming === undefined && traits.caseInsensitive ? foldName : undefined;
  const before = traits.onDisk ? `local ${name}:` : remoteId(name, '');
  return { ancestors: ancestorsOf(before, path, fold) };
}

/** The place of a remote with its names, and beyond them if the other one may have the same. */
async function lineageOf(
  remote: Remote,
  names: Lineage,
  dir: string,
  other: Remote,
  op: Op,
): Promise<Lineage> {
  const { place } = remote.can;
  if (place === undefined) return names;
  if (place.kind !== 'disk' && place.kind !== other.can.place?.kind) return names;
  const lineage = await place.lineage(dir, op);
  return { ...lineage, ancestors: [...names.ancestors, ...lineage.ancestors] };
}

function compare(source: Lineage, dest: Lineage): Overlap {
  const up = wayFrom(dest, source);
  if (up === '') return { how: 'same', way: '' };
  if (up !== undefined) return { how: 'source-in-dest', way: up };
  const down = wayFrom(source, dest);
  return down === undefined ? { how: 'apart', way: '' } : { how: 'dest-in-source', way: down };
}

/** The path from an item to one in it, `''` if they are one; `undefined` if it is elsewhere. */
function wayFrom(outer: Lineage, inner: Lineage): string | undefined {
  const own = new Set<string>();
  for (const { id, rest } of outer.ancestors) if (rest === '') own.add(id);
  let way: string | undefined;
  for (const { id, rest } of inner.ancestors) {
    if (!own.has(id)) continue;
    if (rest === '') return '';
    way ??= rest;
  }
  if (way !== undefined) return way;
  // What is visible below the outer one although it is elsewhere.
  for (const { id, path } of outer.holds ?? []) {
    const from = inner.ancestors.find((ancestor) => ancestor.id === id);
    if (from !== undefined) return joinPath(path, from.rest);
  }
  return undefined;
}

/**
 * Refuses a sync or move whose roots overlap, unless the destination is the inner one and the filter excludes it
 * (rclone: exit code 7). A source inside the destination is always in danger: it would count as extra there.
 */
export function refuseOverlap(
  { how, way }: Overlap,
  { source, dest }: Sides,
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
