import type { Drive } from './drive.ts';
import type { DriveItem } from './drive-item.ts';
import {
  type Answer,
  type ConflictBehavior,
  type GraphCall,
  isObject,
  type JsonObject,
} from './graph-call.ts';
import { GraphFailure, invalidRequest, nameTaken } from './graph-failure.ts';
import type { GraphWorld } from './graph-world.ts';
import type { ItemAddress } from './item-address.ts';
import { contentTagOf, eTagOf, itemJson } from './item-json.ts';

/** A request about one item of a drive. */
export interface ItemRequest {
  readonly world: GraphWorld;
  readonly call: GraphCall;
  readonly drive: Drive;
  readonly address: ItemAddress;
  /** What follows `versions/` or `permissions/`. */
  readonly subject: string;
}

/** Answers a request about an item. */
export type ItemHandler = (request: ItemRequest) => Answer;

/** The item as an answer. */
export function itemAnswer(request: ItemRequest, status: number, item: DriveItem): Answer {
  const json = itemJson(item, request);
  return { status, json: { '@odata.context': `${request.call.origin}/$metadata#item`, ...json } };
}

/** Throws 412 where the client names another state of the item than it has. */
export function checkMatch(header: string | undefined, item: DriveItem, drive: Drive): void {
  if (header === undefined || header === '*') return;
  const tags = [eTagOf(item, drive), contentTagOf(item, drive)].map(unquoted);
  if (header.split(/,\s*(?=["aW])/).some((tag) => tags.includes(unquoted(tag.trim())))) return;
  throw new GraphFailure(412, 'notAllowed', 'ETag does not match current item value', {
    inner: 'resourceModified',
  });
}

function unquoted(tag: string): string {
  return tag.replace(/^(W\/)?"(.*)"$/, '$2');
}

/** The times in a body's `fileSystemInfo`, in milliseconds. */
export function readTimes(body: JsonObject): {
  created?: number;
  modified?: number;
  description?: string;
} {
  const info = body['fileSystemInfo'];
  const text = body['description'];
  const description = typeof text === 'string' ? { description: text } : {};
  if (info === undefined || info === null) return description;
  if (!isObject(info)) throw invalidRequest('fileSystemInfo is no object.');
  const created = readTime(info['createdDateTime']);
  const modified = readTime(info['lastModifiedDateTime']);
  const times = {
    ...(created !== undefined && { created }),
    ...(modified !== undefined && { modified }),
  };
  return { ...times, ...description };
}

function readTime(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
  const time = typeof value === 'string' && form.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw invalidRequest('A time that cannot be read.');
  return time;
}

/**
 * A free name in a folder, by what is to happen when it is taken: `undefined` means that what has the name is to be
 * replaced. Throws 409 for `fail`.
 */
export function freeName(
  parent: DriveItem,
  name: string,
  behavior: ConflictBehavior,
  self?: DriveItem,
): string | undefined {
  const other = parent.children?.get(name.toLowerCase());
  if (other === undefined || other === self) return name;
  if (behavior === 'fail') throw nameTaken(name);
  if (behavior === 'replace') return undefined;
  const dot = other.children === undefined ? name.lastIndexOf('.') : -1;
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let number = 1; ; number++) {
    const candidate = `${stem} ${number}${end}`;
    if (!parent.children?.has(candidate.toLowerCase())) return candidate;
  }
}
