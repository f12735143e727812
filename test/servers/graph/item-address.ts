import type { Drive } from './drive.ts';
import type { DriveItem } from './drive-item.ts';
import { decodePart } from './graph-call.ts';
import { invalidRequest, notFound } from './graph-failure.ts';

/** What an address like `items/{id}:/{path}:/children` points at. */
export interface ItemAddress {
  readonly drive: Drive;
  /** The item, where it is there. */
  readonly item: DriveItem | undefined;
  /** Where it is not: the last folder that is, and the names from there on. */
  readonly nearest: DriveItem;
  readonly missing: readonly string[];
  /** What follows the item: `children`, `versions/1.0`, or nothing. */
  readonly action: string;
}

const FORM = /^(root|items\/([^/:]+))(?:(:)(\/[^:]*)?(?::|$))?(?:\/(.*))?$/;

/** `children('name')`, or `children('@a')` with a path in the query: how the cloud of China addresses by path. */
const QUOTED = /^children\((?:'|%27)(.*?)(?:'|%27)\)(?:\/(.*))?$/;

/**
 * Reads what follows `drives/{id}/`; `undefined` where it is no item. Throws 404 for an id that is not there.
 * @param withColons whether this cloud knows `:/{path}:`
 * @param inBin whether the id may be that of an item in the recycle bin
 */
export function readItemAddress(
  drive: Drive,
  rest: string,
  query: URLSearchParams,
  withColons: boolean,
  inBin = false,
): ItemAddress | undefined {
  const match = FORM.exec(rest);
  if (match === null) return undefined;
  const [, start, id, colon, path = '', action = ''] = match;
  if (colon !== undefined && !withColons) throw invalidRequest('No path is known here.');
  const binned = inBin ? drive.bin.get(decodePart(id ?? '')) : undefined;
  const isRoot = start === 'root' || id === 'root';
  const base = binned ?? (isRoot ? drive.root : itemById(drive, id ?? ''));
  const quoted = QUOTED.exec(action);
  const names = split(path).map(decodePart);
  if (quoted === null) return { drive, ...walk(base, names), action };
  const [, name = '', rightAction = ''] = quoted;
  const within = name.startsWith('@')
    ? split((query.get(name) ?? '').replace(/^'|'$/g, ''))
    : [decodePart(name)];
  const unquoted = within.map((one) => one.replaceAll("''", "'"));
  return { drive, ...walk(base, [...names, ...unquoted]), action: rightAction };
}

function split(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

/** What follows the item in an address; `undefined` where it is no item. */
export function actionOf(rest: string): string | undefined {
  const match = FORM.exec(rest);
  if (match === null) return undefined;
  const action = match[5] ?? '';
  const quoted = QUOTED.exec(action);
  return quoted === null ? action : (quoted[2] ?? '');
}

/** The item with an id; ids are matched without regard to case. */
export function itemById(drive: Drive, id: string): DriveItem {
  const found = drive.byId(decodePart(id));
  if (found === undefined) throw notFound();
  return found;
}

/** Goes down from a folder, as far as there is something. */
export function walk(
  base: DriveItem,
  names: readonly string[],
): { item: DriveItem | undefined; nearest: DriveItem; missing: readonly string[] } {
  let at = base;
  for (const [index, name] of names.entries()) {
    if (name.includes('/')) throw invalidRequest('A name with a slash in it.');
    const child = at.children?.get(name.toLowerCase());
    if (child === undefined) return { item: undefined, nearest: at, missing: names.slice(index) };
    at = child;
  }
  return { item: at, nearest: at, missing: [] };
}

/** The item, or 404. */
export function existing(address: ItemAddress): DriveItem {
  if (address.item === undefined) throw notFound();
  return address.item;
}
