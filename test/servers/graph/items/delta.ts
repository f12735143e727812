import type { DeltaEntry } from '../delta-entry.ts';
import type { Drive, Tombstone } from '../drive.ts';
import { type DriveItem, itemsIn } from '../drive-item.ts';
import { isObject, type JsonObject } from '../graph-call.ts';
import { GraphFailure, invalidRequest, notSupported } from '../graph-failure.ts';
import { existing } from '../item-address.ts';
import { itemJson } from '../item-json.ts';
import type { ItemHandler, ItemRequest } from '../item-request.ts';
import { pageLimit } from './list-children.ts';

/** Where an enumeration stands; changes up to `since` are known to the client. */
interface Token {
  readonly epoch: number;
  readonly since: number;
  /** Change number at the start of this enumeration, and how many entries of it were sent. */
  readonly upTo: number;
  /** Id of the list that is being sent. */
  readonly list: string;
  readonly sent: number;
  readonly hadEmpty: boolean;
}

/** GET delta: everything below the root, or what changed since a token, with a token for the next time. */
export const delta: ItemHandler = (request) => {
  const { drive, world, call, address } = request;
  const base = existing(address);
  if (base !== drive.root && drive.type !== 'personal') {
    throw notSupported('Business drives enumerate from the root only.');
  }
  const text = tokenText(request);
  const fresh = { epoch: world.deltaEpoch, list: '', sent: 0, hadEmpty: false };
  if (text === 'latest') {
    return answer(request, [], { ...fresh, since: drive.changes, upTo: -1 }, true);
  }
  const token = readToken(text, { ...fresh, since: 0, upTo: drive.changes }, drive);
  if (token.epoch !== world.deltaEpoch) throw gone(request);
  const list = token.list === '' ? crypto.randomUUID() : token.list;
  const entries =
    world.enumerations.get(list) ??
    changedEntries(drive, base, token, {
      twice: world.settings.deltaDuplicates,
      withParents: !/deltaExcludeParent/i.test(`${call.headers['prefer']}`),
    });
  world.enumerations.set(list, entries);
  const limit = pageLimit(call.query.get('$top'), world.settings);
  const left = entries.slice(token.sent);
  if (world.settings.emptyPages && left.length > 0 && !token.hadEmpty) {
    return answer(request, [], { ...token, list, hadEmpty: true }, false);
  }
  const shown = left.slice(0, limit);
  const isLast = left.length <= shown.length;
  const next = isLast
    ? { ...fresh, since: token.upTo, upTo: -1 }
    : { ...token, list, sent: token.sent + shown.length, hadEmpty: false };
  return answer(request, shown, next, isLast);
};

function changedEntries(
  drive: Drive,
  base: DriveItem,
  token: Token,
  { twice, withParents }: { readonly twice: boolean; readonly withParents: boolean },
): DeltaEntry[] {
  const wanted = new Set<DriveItem>();
  for (const item of itemsIn(base)) {
    if (item.changed <= token.since) continue;
    // What changed brings the folders above it along, unless the client does not want them.
    wanted.add(item);
    for (let at = item.parent; withParents && at !== undefined; at = at.parent) wanted.add(at);
  }
  const items = [...itemsIn(base)].filter((item) => wanted.has(item));
  const live = items.map((item) => ({ item, stale: false }));
  const stale = twice ? items.map((item) => ({ item, stale: true })) : [];
  const isNews = ({ changed }: Tombstone) => token.since > 0 && changed > token.since;
  const dead = [...drive.tombstones.values()].filter(isNews).map((one) => ({ gone: one }));
  return [...stale, ...dead, ...live];
}

function answer(
  request: ItemRequest,
  entries: readonly DeltaEntry[],
  next: Token,
  isLast: boolean,
) {
  const { call, drive } = request;
  // What was deleted since then comes with the next delta.
  const present = entries.filter((entry) => 'gone' in entry || drive.items.has(entry.item.id));
  const value = present.map((entry) =>
    'gone' in entry ? deletedJson(entry.gone, drive) : liveJson(entry, request),
  );
  const token = Buffer.from(JSON.stringify(next)).toString('base64url');
  const query = new URLSearchParams(call.query);
  query.delete('token');
  const path = call.path.replace(/delta\(.*\)$/, 'delta');
  // The two kinds of drives put the token in different places.
  const inPath = drive.type === 'personal' ? '' : `(token='${token}')`;
  if (inPath === '') query.set('token', token);
  const link = `${call.origin}${path}${inPath}${query.size === 0 ? '' : `?${query}`}`;
  const json = { value, [isLast ? '@odata.deltaLink' : '@odata.nextLink']: link };
  return { status: 200, json };
}

function liveJson({ item, stale }: { item: DriveItem; stale: boolean }, request: ItemRequest) {
  const json = itemJson(item, { ...request, inDelta: true });
  return stale && item.parent !== undefined ? { ...json, name: `old name of ${item.id}` } : json;
}

function deletedJson(gone: Tombstone, drive: Drive): JsonObject {
  const { id, name, parentId, isFolder } = gone;
  return {
    id,
    ...(drive.type === 'personal' && { name }),
    deleted: { state: 'deleted' },
    ...(isFolder ? { folder: {} } : { file: {} }),
    parentReference: { driveId: drive.id, driveType: drive.type, id: parentId },
  };
}

function tokenText({ call, address }: ItemRequest): string | undefined {
  const inPath = /delta\(token='?([^')]*)'?\)/.exec(decodeURIComponent(address.action))?.[1];
  return call.query.get('token') ?? call.query.get('$skiptoken') ?? inPath ?? undefined;
}

function readToken(text: string | undefined, fresh: Token, drive: Drive): Token {
  if (text === undefined || text === '') return fresh;
  const asTime = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(asTime) && drive.type !== 'personal') {
    const older = [...drive.items.values()].filter((item) => item.serverModified < asTime);
    return { ...fresh, since: Math.max(0, ...older.map((item) => item.changed)) };
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw invalidRequest('The delta token is none.');
  }
  if (!isObject(value)) throw invalidRequest('The delta token is none.');
  const number = (name: string) => (typeof value[name] === 'number' ? value[name] : 0);
  const upTo = number('upTo');
  return {
    epoch: number('epoch'),
    since: number('since'),
    upTo: upTo === -1 ? drive.changes : upTo,
    list: typeof value['list'] === 'string' ? value['list'] : '',
    sent: number('sent'),
    hadEmpty: value['hadEmpty'] === true,
  };
}

function gone({ call }: ItemRequest): GraphFailure {
  return new GraphFailure(410, 'resyncRequired', 'The delta token is too old: start over.', {
    inner: 'resyncChangesApplyDifferences',
    headers: { location: `${call.origin}${call.path.replace(/delta\(.*\)$/, 'delta')}?token=` },
  });
}
