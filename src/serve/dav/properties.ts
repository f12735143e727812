import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ModTime, modTimeFromMs, parseDecimalSeconds } from '../../core/mod-time.ts';
import type { DirEntry, Entry, FileEntry } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { contentTypeOf, etagOf, hrefOf, lastModified, respond } from '../files/call.ts';
import { takesGzip } from '../files/http-protocol.ts';
import { HttpError } from '../http-error.ts';
import { checkChanges, type DavCall, depthOf, entriesOf, foundEntry } from './dav-call.ts';
import { keyOf, type PropertyUpdate } from './dead-properties.ts';
import type { Lock } from './lock-table.ts';
import {
  DAV,
  davChild,
  davDocument,
  davDocumentStart,
  element,
  elementsIn,
  escapeXml,
  isDav,
  readXmlBody,
  textIn,
  type XmlName,
  type XmlNode,
  xmlOf,
} from './xml-tree.ts';

/** The namespace of Windows' times. */
const WINDOWS = 'urn:schemas-microsoft-com:';

interface Update extends PropertyUpdate {
  /** The new modification time, if the property is one. */
  readonly modTime?: ModTime;
}

/** Responds to PROPPATCH: sets all properties, or none and says why. */
export async function proppatch(call: DavCall): Promise<void> {
  const body = await readXmlBody(call);
  if (body === undefined || !isDav(body, 'propertyupdate')) {
    throw new HttpError(400, 'Bad Request: not a propertyupdate');
  }
  const updates = elementsIn(body).flatMap((change) => {
    const isSet = isDav(change, 'set');
    if (!isSet && !isDav(change, 'remove')) return [];
    const prop = davChild(change, 'prop');
    return (prop === undefined ? [] : elementsIn(prop)).map((property): Update => {
      const modTime = isSet ? timeOf(property) : undefined;
      return { property, isSet, ...(modTime === undefined ? {} : { modTime }) };
    });
  });
  if (updates.length === 0) throw new HttpError(400, 'Bad Request: no properties');
  await call.tree.inTurn([call.path], call.op, () => update(call, updates));
}

async function update(call: DavCall, updates: readonly Update[]): Promise<void> {
  const { properties, options, tree, op } = call;
  const entry = await foundEntry(call);
  await checkChanges(call, [{ path: entry.path }]);
  const { can } = tree.remote;
  const setsTime = entry.kind === 'dir' ? can.setDirModTime : can.setModTime;
  const mayTime = !tree.options.noModTime && setsTime !== undefined;
  const refused = updates.filter(({ property: { space, name }, modTime }) => {
    if (modTime !== undefined) return !mayTime;
    // The server alone decides about these.
    if (space === DAV && /^(creationdate|quota-.*)$/.test(name)) return true;
    return ALL_PROPERTIES.some(([ownSpace, own]) => ownSpace === space && own === name);
  });
  if (refused.length === 0) {
    const kept = updates.filter(({ modTime: time }) => time === undefined);
    properties.checkUpdates(entry.path, kept);
    // The last one counts: a single change cannot be half done.
    const modTime = updates.findLast(({ modTime: time }) => time !== undefined)?.modTime;
    if (modTime !== undefined) {
      if (entry.kind === 'dir') await can.setDirModTime?.(entry.path, modTime, op);
      else await can.setModTime?.(entry, modTime, op);
    }
    properties.update(entry.path, kept);
  }
  const namesOf = (some: readonly Update[]) => {
    return some.map(({ property }) => element(property.space, property.name, '')).join('');
  };
  const others = updates.filter((update) => !refused.includes(update));
  const results =
    refused.length === 0
      ? propstat(namesOf(updates), '200 OK')
      : propstat(namesOf(refused), '403 Forbidden') +
        (others.length === 0 ? '' : propstat(namesOf(others), '424 Failed Dependency'));
  const href = element(DAV, 'href', hrefOf(options.base, entry.path, entry.kind === 'dir'));
  const body = element(DAV, 'response', href + results);
  const text = davDocument('multistatus', body);
  respond(call, 207, { 'content-type': 'application/xml; charset=utf-8' }, text);
}

/** The modification time that a property sets, by the names of rclone, ownCloud and Windows. */
function timeOf(property: XmlNode): ModTime | undefined {
  const text = textIn(property).trim();
  const isWindows = property.space === WINDOWS && property.name === 'Win32LastModifiedTime';
  if (isDav(property, 'getlastmodified') || isWindows) {
    const ms = Date.parse(text);
    return Number.isNaN(ms) ? undefined : modTimeFromMs(ms);
  }
  return isDav(property, 'lastmodified') ? parseDecimalSeconds(text) : undefined;
}

/** What a PROPFIND wants to know; `names`: only which properties there are. */
type Wanted = { readonly kind: 'some' | 'all' | 'names'; readonly names: readonly XmlName[] };

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
function propstat(properties: string, status: string): string {
  const prop = element(DAV, 'prop', properties);
  return element(DAV, 'propstat', prop + element(DAV, 'status', `HTTP/1.1 ${status}`));
}

/** The namespace of checksums. */
const OC = 'http://owncloud.org/ns';

/** The properties of `allprop`. */
const ALL_PROPERTIES: readonly (readonly [space: string, name: string])[] = [
  [DAV, 'resourcetype'],
  [DAV, 'displayname'],
  [DAV, 'getcontentlength'],
  [DAV, 'getetag'],
  [DAV, 'getlastmodified'],
  [DAV, 'getcontenttype'],
  [DAV, 'supportedlock'],
  [DAV, 'lockdiscovery'],
  [DAV, 'lastmodified'],
  [OC, 'checksums'],
];

const SUPPORTED_LOCKS = ['exclusive', 'shared']
  .map((scope) =>
    element(
      DAV,
      'lockentry',
      element(DAV, 'lockscope', element(DAV, scope, '')) +
        element(DAV, 'locktype', element(DAV, 'write', '')),
    ),
  )
  .join('');

/** A property that the server itself has of an entry, as XML; `undefined` if it has none of this name. */
async function liveProperty(call: DavCall, entry: Entry, { space, name }: XmlName) {
  let value: string | undefined;
  if (space === DAV) value = await davValue(call, entry, name);
  else if (space === OC && name === 'checksums') value = await checksums(call, entry);
  return value === undefined ? undefined : element(space, name, value);
}

async function davValue(call: DavCall, entry: Entry, name: string): Promise<string | undefined> {
  const { tree } = call;
  switch (name) {
    case 'resourcetype':
      return entry.kind === 'dir' ? element(DAV, 'collection', '') : '';
    case 'displayname':
      return escapeXml(leafName(entry.path));
    case 'getcontentlength':
      return entry.kind === 'file' && entry.size >= 0 ? String(entry.size) : undefined;
    case 'getetag': {
      const etag = entry.kind === 'file' ? etagOf(entry, tree.options) : undefined;
      return etag === undefined ? undefined : escapeXml(etag);
    }
    case 'getlastmodified':
      return new Date(lastModified(entry, tree.options) ?? call.startedAt).toUTCString();
    case 'lastmodified':
      return String(Math.floor((lastModified(entry, tree.options) ?? call.startedAt) / 1000));
    case 'getcontenttype':
      return entry.kind === 'file' ? escapeXml(contentTypeOf(entry)) : undefined;
    case 'supportedlock':
      return SUPPORTED_LOCKS;
    case 'lockdiscovery':
      return call.locks
        .covering(entry.path)
        .map((lock) => activeLock(call, lock))
        .join('');
    case 'quota-available-bytes':
    case 'quota-used-bytes': {
      // By RFC 4331; requested only by name, as it may cost a request.
      const { used, free } = (entry.kind === 'dir' ? await call.about() : undefined) ?? {};
      const bytes = name === 'quota-used-bytes' ? used : free;
      return bytes === undefined ? undefined : String(Math.floor(bytes));
    }
    default:
      return undefined;
  }
}

/** The hashes that the remote has; without those of a listing if it cannot be asked whether they count. */
async function checksums({ tree, op }: DavCall, entry: Entry): Promise<string | undefined> {
  if (entry.kind === 'dir' || entry.hashes === undefined) return undefined;
  const { hashesInDoubt, confirmHashes } = tree.remote.can;
  let file: FileEntry | undefined = entry;
  if (hashesInDoubt?.(entry) === true) {
    file = await Promise.resolve(confirmHashes?.(entry, op)).catch(() => undefined);
    op.signal.throwIfAborted();
  }
  const { md5, sha1, sha256 } = file?.hashes ?? {};
  const known = Object.entries({ MD5: md5, SHA1: sha1, SHA256: sha256 });
  const texts = known.flatMap(([name, hash]) => (hash === undefined ? [] : [`${name}:${hash}`]));
  return texts.length === 0 ? undefined : element(OC, 'checksum', texts.join(' '));
}

/** A lock as `D:activelock`. */
export function activeLock({ options }: DavCall, lock: Lock): string {
  const { token, path, isDeep, isShared, owner, seconds } = lock;
  return element(
    DAV,
    'activelock',
    element(DAV, 'locktype', element(DAV, 'write', '')) +
      element(DAV, 'lockscope', element(DAV, isShared ? 'shared' : 'exclusive', '')) +
      element(DAV, 'depth', isDeep ? 'infinity' : '0') +
      (owner === '' ? '' : element(DAV, 'owner', owner)) +
      element(DAV, 'timeout', `Second-${seconds}`) +
      element(DAV, 'locktoken', element(DAV, 'href', escapeXml(token))) +
      element(DAV, 'lockroot', element(DAV, 'href', hrefOf(options.base, path, false))),
  );
}
