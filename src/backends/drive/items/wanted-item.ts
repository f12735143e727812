import type { ModTime } from '../../../core/mod-time.ts';
import { leafName } from '../../../core/remote-path.ts';
import { contentOf, type GraphItem, isSameId, isSameName, isSameTime } from './graph-item.ts';
import { type ItemAddress, ROOT } from './item-address.ts';
import { timeOf } from './item-entry.ts';

/** What a response must say about an item; absent members are not compared. */
export interface WantedItem {
  readonly id?: string;
  readonly name?: string;
  /** The id of its folder. */
  readonly folder?: string;
  readonly isFolder?: boolean;
  readonly modTime?: ModTime;
}

/** The result of `differs` for an item whose only difference is its name. */
export const OTHER_NAME = 'it has another name';

/** How an item differs from the expected one; `undefined` if it does not. */
export function differs(item: GraphItem, wanted: WantedItem): string | undefined {
  const { id, name, folder, isFolder, modTime } = wanted;
  if (typeof item.id !== 'string' || item.id === '') return 'it has no item';
  const isRoot = item.root !== undefined || item.name === ROOT;
  const isIt = id === undefined || (id === ROOT ? isRoot : isSameId(item.id, id));
  if (!isIt) return 'it has another item';
  if (name !== undefined && !isSameName(item.name, name)) return OTHER_NAME;
  const parent = item.parentReference?.id;
  if (folder !== undefined && folder !== ROOT && !isSameId(parent, folder)) {
    return 'it has another directory';
  }
  if (isFolder === true && contentOf(item).folder === undefined) return 'it is not a directory';
  if (modTime === undefined) return undefined;
  return isSameTime(timeOf(item), modTime) ? undefined : 'it has another time';
}

/** The expectations of the item at an address. */
export function wantedAt({ id, rest, hasAliases = false }: ItemAddress): WantedItem {
  const known = hasAliases ? undefined : id;
  if (rest === '') return known === undefined ? {} : { id: known };
  const isChild = known !== undefined && !rest.includes('/');
  return { name: leafName(rest), ...(isChild ? { folder: known } : {}) };
}
