import type { Entry, FileEntry } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { contentTypeOf, etagOf, lastModified } from '../files/entry-headers.ts';
import { hrefOf } from '../files/request-path.ts';
import type { DavCall } from './dav-call.ts';
import type { Lock } from './lock-table.ts';
import { DAV, element, escapeXml, type XmlName } from './xml-tree.ts';

/** The namespace of checksums. */
const OC = 'http://owncloud.org/ns';

/** The properties of `allprop`. */
export const ALL_PROPERTIES: readonly (readonly [space: string, name: string])[] = [
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

/** Whether the server alone decides about a property. */
export function isProtected({ space, name }: XmlName): boolean {
  if (space === DAV && /^(creationdate|quota-.*)$/.test(name)) return true;
  return ALL_PROPERTIES.some(([ownSpace, own]) => ownSpace === space && own === name);
}

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
export async function liveProperty(
  call: DavCall,
  entry: Entry,
  { space, name }: XmlName,
): Promise<string | undefined> {
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
