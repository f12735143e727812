import type { ModTime } from '../../../core/mod-time.ts';
import { leafName } from '../../../core/remote-path.ts';
import type { GraphCalls } from '../client/graph-client.ts';
import { badAnswer, type GraphRequest, saysMissing } from '../client/graph-request.ts';
import {
  contentOf,
  type GraphItem,
  type ItemAddress,
  isSameId,
  isSameName,
  isSameTime,
  ROOT,
  requestPath,
} from './graph-item.ts';
import { timeOf } from './item-entry.ts';

/** The item at an address. Rejects with `bad-answer` if the response is about another one. */
export async function getItem(
  calls: GraphCalls,
  address: ItemAddress,
  about: string,
): Promise<GraphItem> {
  const request = { method: 'GET', to: requestPath(address), doing: 'look for', about } as const;
  const { json } = await calls.call(request);
  const wrong = differs(json, wantedAt(address));
  if (wrong !== undefined) throw badAnswer(request, `the response is inconsistent: ${wrong}`);
  return json;
}

/** As `getItem`; `undefined` if the service reports that there is none. */
export async function findItem(
  calls: GraphCalls,
  address: ItemAddress,
  about: string,
): Promise<GraphItem | undefined> {
  try {
    return await getItem(calls, address, about);
  } catch (thrown) {
    if (saysMissing(thrown)) return undefined;
    throw thrown;
  }
}

/** The item in the response to `request`, else read at `address`. Rejects with `bad-answer` if neither is wanted. */
export async function provenItem(
  calls: GraphCalls,
  told: GraphItem,
  request: GraphRequest,
  address: ItemAddress,
  wanted: WantedItem,
): Promise<GraphItem> {
  if (differs(told, wanted) === undefined) return told;
  const item = await getItem(calls, address, request.about);
  const wrong = differs(item, wanted);
  if (wrong === undefined) return item;
  throw badAnswer(request, `the response is inconsistent: ${wrong}`);
}

/** What a response must say about an item; absent members are not compared. */
export interface WantedItem {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The id of its folder. */
  readonly folder?: string | undefined;
  readonly isFolder?: boolean;
  readonly modTime?: ModTime | undefined;
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
  if (rest === '') return { id: known };
  return { name: leafName(rest), folder: rest.includes('/') ? undefined : known };
}
