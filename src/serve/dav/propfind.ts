import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DirEntry, Entry } from '../../core/remote.ts';
import { takesGzip } from '../files/http-protocol.ts';
import { hrefOf } from '../files/request-path.ts';
import { HttpError } from '../http-error.ts';
import { type DavCall, depthOf, entriesOf, foundEntry } from './dav-call.ts';
import { keyOf } from './dead-properties.ts';
import { ALL_PROPERTIES, liveProperty } from './live-properties.ts';
import { readXmlBody } from './read-body.ts';
import {
  DAV,
  davChild,
  davDocumentStart,
  element,
  elementsIn,
  isDav,
  type XmlName,
  type XmlNode,
  xmlOf,
} from './xml-tree.ts';

/** What a PROPFIND wants to know. */
interface Wanted {
  /** `names`: only which properties there are. */
  readonly kind: 'some' | 'all' | 'names';
  readonly names: readonly XmlName[];
}

/** How many responses are written at a time. */
const BATCH = 200;

/** Responds to PROPFIND: an entry, with those in it (Depth 1), or with everything below (infinity). */
export async function propfind(call: DavCall): Promise<void> {
  const { op, response } = call;
  const depth = depthOf(call, '0', '1', 'infinity');
  const wanted = readWanted(await readXmlBody(call));
  const entry = await foundEntry(call);
  const pieces = multistatus(call, entry, wanted, depth);
  // Before the head: a directory that cannot be listed is an error.
  const first = await pieces.next();
  const isZipped = takesGzip(call);
  call.head(207, {
    'content-type': 'application/xml; charset=utf-8',
    vary: 'accept-encoding',
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
  });
  const all = async function* () {
    yield first.value ?? '';
    yield* pieces;
  };
  const source = Readable.from(all(), { objectMode: false });
  if (!isZipped) return pipeline(source, response, { signal: op.signal });
  const { createGzip } = await import('node:zlib');
  await pipeline(source, createGzip(), response, { signal: op.signal });
}

function readWanted(body: XmlNode | undefined): Wanted {
  if (body === undefined) return { kind: 'all', names: [] };
  if (!isDav(body, 'propfind')) throw new HttpError(400, 'Bad Request: not a propfind');
  const prop = davChild(body, 'prop');
  if (davChild(body, 'propname') !== undefined) return { kind: 'names', names: [] };
  if (prop !== undefined) return { kind: 'some', names: elementsIn(prop) };
  if (davChild(body, 'allprop') === undefined)
    throw new HttpError(400, 'Bad Request: nothing is wanted');
  const included = davChild(body, 'include');
  return { kind: 'all', names: included === undefined ? [] : elementsIn(included) };
}

async function* multistatus(
  call: DavCall,
  entry: Entry,
  wanted: Wanted,
  depth: string,
): AsyncGenerator<string> {
  let text = davDocumentStart('multistatus') + (await responseOf(call, entry, wanted));
  let count = 1;
  const below = async function* (dir: DirEntry): AsyncGenerator<Entry> {
    for (const one of await entriesOf(call, dir)) {
      yield one;
      if (depth === 'infinity' && one.kind === 'dir') yield* below(one);
    }
  };
  if (entry.kind === 'dir' && depth !== '0') {
    for await (const one of below(entry)) {
      text += await responseOf(call, one, wanted);
      if (++count % BATCH > 0) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}</D:multistatus>\n`;
}

async function responseOf(call: DavCall, entry: Entry, wanted: Wanted): Promise<string> {
  const dead = call.properties.of(entry.path);
  const all = ALL_PROPERTIES.map(([space, name]) => ({ space, name }));
  const asked = wanted.kind === 'some' ? wanted.names : [...all, ...wanted.names, ...dead];
  const found = new Map<string, string>();
  let missing = '';
  for (const one of asked) {
    const own = dead.find((each) => keyOf(each) === keyOf(one));
    const value = own === undefined ? await liveProperty(call, entry, one) : xmlOf(own);
    if (value !== undefined) {
      found.set(keyOf(one), wanted.kind === 'names' ? element(one.space, one.name, '') : value);
    } else if (wanted.kind === 'some') missing += element(one.space, one.name, '');
  }
  const isEmpty = found.size === 0 && missing !== '';
  const href = hrefOf(call.options.base, entry.path, entry.kind === 'dir');
  return element(
    DAV,
    'response',
    element(DAV, 'href', href) +
      (isEmpty ? '' : propstat([...found.values()].join(''), '200 OK')) +
      (missing === '' ? '' : propstat(missing, '404 Not Found')),
  );
}

/** Properties with their status. */
export function propstat(properties: string, status: string): string {
  const prop = element(DAV, 'prop', properties);
  return element(DAV, 'propstat', prop + element(DAV, 'status', `HTTP/1.1 ${status}`));
}
