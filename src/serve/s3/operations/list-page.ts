import { type KeyWalk, type SortedKeys, walkKeys } from '../store/sorted-keys.ts';
import { S3Error } from '../wire/s3-error.ts';
import { element, nameWriter, type WriteName } from '../wire/xml-text.ts';
import { type Call, countParameter } from './call.ts';

/** The common parameters of all listings of keys, and the elements that repeat them. */
export interface KeyListing {
  readonly prefix: string;
  readonly delimiter: string;
  readonly max: number;
  readonly write: WriteName;
  /** XML, empty if none was requested. */
  readonly delimiterElement: string;
  readonly encodingElement: string;
}

/** Reads the parameters. Throws `InvalidArgument` if `maxName` is not a whole number, or the encoding unknown. */
export function listQuery(call: Call, maxName: string): KeyListing {
  const { query } = call;
  const delimiter = query.get('delimiter') ?? '';
  const encoding = query.get('encoding-type');
  if (encoding !== undefined && encoding !== 'url')
    throw new S3Error('InvalidArgument', {
      message: 'Invalid Encoding Method specified in Request',
    });
  const write = nameWriter(encoding);
  return {
    ...{ delimiter, write, prefix: query.get('prefix') ?? '' },
    max: countParameter(call, maxName, 1000, 1000),
    delimiterElement: delimiter === '' ? '' : `<Delimiter>${write(delimiter)}</Delimiter>`,
    encodingElement: encoding === 'url' ? element('EncodingType', 'url') : '',
  };
}

/** The common prefixes of a page. */
export function groupElements(prefixes: Iterable<string>, write: WriteName): string {
  let xml = '';
  for (const prefix of prefixes) {
    xml += `<CommonPrefixes><Prefix>${write(prefix)}</Prefix></CommonPrefixes>`;
  }
  return xml;
}

/** One page of a listing: keys and common prefixes, each in order. */
export interface ListPage {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
  /** The start of the next page; absent on the last. */
  readonly next?: ListPosition;
}

/** The last key or common prefix of a page. */
export interface ListPosition {
  readonly after: string;
  readonly afterGroup: boolean;
}

/** Cuts a page of at most `max` keys and prefixes. An empty page is the last. */
export function listPage(keys: SortedKeys, walk: KeyWalk, max: number): ListPage {
  const page = { keys: [] as string[], prefixes: [] as string[] };
  let last: ListPosition = walk;
  if (max === 0) return page;
  for (const each of walkKeys(keys, walk)) {
    if (page.keys.length + page.prefixes.length === max) {
      return { ...page, next: { after: last.after, afterGroup: last.afterGroup } };
    }
    if ('key' in each) {
      page.keys.push(each.key);
      last = { after: each.key, afterGroup: false };
    } else {
      page.prefixes.push(each.prefix);
      last = { after: each.prefix, afterGroup: true };
    }
  }
  return page;
}

/** A position as the opaque token of list version 2. */
export function tokenOf(position: ListPosition): string {
  const kind = position.afterGroup ? 'p' : 'k';
  return Buffer.from(kind + JSON.stringify(position.after)).toString('base64url');
}

/** Undoes `tokenOf`; `undefined` for an invalid token. */
export function positionOf(token: string): ListPosition | undefined {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  try {
    const after: unknown = JSON.parse(text.slice(1));
    if (typeof after !== 'string' || !/^[kp]/.test(text)) return undefined;
    return { after, afterGroup: text.startsWith('p') };
  } catch {
    return undefined;
  }
}

/**
 * Whether a marker of list version 1 is a common prefix of the listing it comes from: then everything that starts
 * with it was listed.
 */
export function isGroup(marker: string, prefix: string, delimiter: string): boolean {
  if (delimiter === '' || !marker.startsWith(prefix) || !marker.endsWith(delimiter)) return false;
  const first = marker.indexOf(delimiter, prefix.length);
  return first >= 0 && first === marker.length - delimiter.length;
}
