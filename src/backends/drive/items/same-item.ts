import type { ModTime } from '../../../core/mod-time.ts';
import { foldName } from '../../../core/name-order.ts';
import { leafName } from '../../../core/remote-path.ts';
import type { GraphItem } from './graph-item.ts';
import { folded } from './item-address.ts';

/** Some drives truncate times to seconds, in nanoseconds. */
const SECOND = 1_000_000_000n;

/** Whether IDs of items, or of drives, mean the same one: case and leading zeros do not count. */
export function isSameId(a: string | undefined, b: string): boolean {
  return a === b || (a !== undefined && folded(a) === folded(b));
}

/** Whether times are equal to the second, as drives keep them. */
export function isSameTime(a: ModTime | undefined, b: ModTime): boolean {
  if (a === undefined) return false;
  return a > b ? a - b <= SECOND : b - a <= SECOND;
}

/**
 * Whether an item may be in the directory at a path, by its `parentReference`. Paths may be percent-encoded: a
 * difference proves nothing.
 *
 * @param fromRoot the path is below the root of the drive
 */
export function mayLieIn(item: GraphItem, path: string, fromRoot: boolean): boolean {
  const { path: told, name } = item.parentReference ?? {};
  const [, below] = told?.split('root:') ?? [];
  if (fromRoot && below !== undefined) return isSameName(decoded(below).slice(1), path);
  return path === '' || name === undefined || isSameName(name, leafName(path));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether names are equal to the service: case and Unicode form do not count. */
export function isSameName(a: string | undefined, b: string): boolean {
  return a !== undefined && foldedName(a) === foldedName(b);
}

function foldedName(name: string): string {
  return foldName(name.normalize('NFC'));
}
