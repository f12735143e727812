import { type ModTime, modTimeFromMs, parseDecimalSeconds } from '../../core/mod-time.ts';
import type { Entry } from '../../core/remote.ts';
import { respond } from '../files/call.ts';
import { hrefOf } from '../files/request-path.ts';
import { HttpError } from '../http-error.ts';
import { checkChanges, type DavCall, foundEntry } from './dav-call.ts';
import type { PropertyUpdate } from './dead-properties.ts';
import { isProtected } from './live-properties.ts';
import { propstat } from './propfind.ts';
import { readXmlBody } from './read-body.ts';
import {
  DAV,
  davChild,
  davDocument,
  element,
  elementsIn,
  isDav,
  textIn,
  type XmlNode,
} from './xml-tree.ts';

/** The namespace of Windows' times. */
const WINDOWS = 'urn:schemas-microsoft-com:';

interface Update extends PropertyUpdate {
  /** The new modification time, if the property is one. */
  readonly modTime?: ModTime;
}

/** Responds to PROPPATCH: sets all properties, or none and says why. */
export async function proppatch(call: DavCall): Promise<void> {
  const updates = readUpdates(await readXmlBody(call));
  await call.tree.inTurn([call.path], call.op, () => update(call, updates));
}

async function update(call: DavCall, updates: readonly Update[]): Promise<void> {
  const { properties, options } = call;
  const entry = await foundEntry(call);
  await checkChanges(call, [{ path: entry.path }]);
  const refused = updates.filter((update) => !isAllowed(call, entry, update));
  if (refused.length === 0) {
    const kept = updates.filter(({ modTime: time }) => time === undefined);
    properties.checkUpdates(entry.path, kept);
    // The last one counts: a single change cannot be half done.
    const modTime = updates.findLast(({ modTime: time }) => time !== undefined)?.modTime;
    if (modTime !== undefined) await setModTime(call, entry, modTime);
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

function readUpdates(body: XmlNode | undefined): readonly Update[] {
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
  return updates;
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

function isAllowed({ tree }: DavCall, entry: Entry, { property, modTime }: Update): boolean {
  const { can } = tree.remote;
  if (modTime !== undefined) {
    if (tree.options.noModTime) return false;
    return entry.kind === 'dir' ? can.setDirModTime !== undefined : can.setModTime !== undefined;
  }
  return !isProtected(property);
}

async function setModTime({ tree, op }: DavCall, entry: Entry, modTime: ModTime): Promise<void> {
  const { can } = tree.remote;
  if (entry.kind === 'dir') await can.setDirModTime?.(entry.path, modTime, op);
  else await can.setModTime?.(entry, modTime, op);
}
