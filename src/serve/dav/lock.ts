import { modTimeFromMs } from '../../core/mod-time.ts';
import { header, respond } from '../files/call.ts';
import { HttpError } from '../http-error.ts';
import {
  checkChanges,
  checkNewName,
  type DavCall,
  depthOf,
  foundEntry,
  ifLists,
  submittedTokens,
} from './dav-call.ts';
import type { Lock } from './lock-table.ts';
import { activeLock } from './properties.ts';
import { writeOver } from './put.ts';
import {
  DAV,
  davChild,
  davDocument,
  element,
  escapeXml,
  isDav,
  readXmlBody,
  type XmlNode,
  xmlOf,
} from './xml-tree.ts';

/** The time of a lock without `Timeout`, and the longest, in seconds. */
const USUAL = 3600;
const LONGEST = 86_400;
/** The longest `D:owner` that is kept, in characters. */
const OWNER_LIMIT = 4096;

/** Responds to LOCK: a new lock, which creates a missing file, or with an empty body a renewed one. */
export async function lock(call: DavCall): Promise<void> {
  const { tree, path, isDir, op, locks, user } = call;
  const isDeep = depthOf(call, '0', 'infinity') === 'infinity';
  // The first time that a client proposes: `Second-600, Infinite`.
  const [first = ''] = (header(call, 'timeout') ?? '').split(',');
  const [, digits] = /^\s*second-(\d+)\s*$/i.exec(first) ?? [];
  const given = digits === undefined ? USUAL : Math.min(Math.max(Number(digits), 1), LONGEST);
  const seconds = /^\s*infinite\s*$/i.test(first) ? LONGEST : given;
  const body = await readXmlBody(call);
  if (body === undefined) {
    const tokens = submittedTokens(ifLists(call));
    const own = locks.covering(path).find((one) => tokens.has(one.token) && one.user === user);
    if (own === undefined) throw new HttpError(412, 'Precondition Failed: no such lock here');
    return respondLock(call, 200, locks.refresh(own, seconds));
  }
  const wanted = { ...readLockInfo(body), seconds, user };
  await tree.inTurn([path], op, async () => {
    const entry = isDir ? await foundEntry(call) : await tree.find(path, op);
    const isNew = entry === undefined;
    if (isNew) {
      await checkChanges(call, [{ path, names: true }]);
      await checkNewName(call, path);
    } else await checkChanges(call, []);
    const covers = isDeep && entry?.kind !== 'file';
    const added = locks.add({ ...wanted, isDeep: covers, path: entry?.path ?? path });
    try {
      if (isNew) {
        const modTime = modTimeFromMs(call.run.context.clock.now());
        const open = async () => Buffer.alloc(0);
        await writeOver(call, { path, size: 0, seekable: true, modTime, open }, 'nothing');
      }
    } catch (thrown) {
      locks.delete(added);
      throw thrown;
    }
    respondLock(call, isNew ? 201 : 200, added, { 'lock-token': `<${added.token}>` });
  });
}

/** Responds to UNLOCK. */
export function unlock(call: DavCall): void {
  const { path, locks, user } = call;
  const [, token] = /^\s*<([^>]+)>\s*$/.exec(header(call, 'lock-token') ?? '') ?? [];
  if (token === undefined) throw new HttpError(400, 'Bad Request: no Lock-Token');
  const found = locks.find(token, path);
  if (found === undefined) throw new HttpError(409, 'Conflict: no such lock here');
  if (found.user !== user) throw new HttpError(403, 'Forbidden: the lock of another user');
  locks.delete(found);
  respond(call, 204);
}

function readLockInfo(body: XmlNode): { isShared: boolean; owner: string } {
  const scope = davChild(body, 'lockscope');
  const type = davChild(body, 'locktype');
  const isShared = scope !== undefined && davChild(scope, 'shared') !== undefined;
  const isExclusive = scope !== undefined && davChild(scope, 'exclusive') !== undefined;
  const isWrite = type !== undefined && davChild(type, 'write') !== undefined;
  if (!isDav(body, 'lockinfo') || isShared === isExclusive || !isWrite) {
    throw new HttpError(400, 'Bad Request: not a lockinfo for an exclusive or shared write lock');
  }
  const children = davChild(body, 'owner')?.children ?? [];
  const owner = children
    .map((child) => (typeof child === 'string' ? escapeXml(child) : xmlOf(child)))
    .join('');
  return { isShared, owner: owner.length > OWNER_LIMIT ? '' : owner };
}

function respondLock(
  call: DavCall,
  status: number,
  own: Lock,
  headers: Readonly<Record<string, string>> = {},
): void {
  const discovery = element(DAV, 'lockdiscovery', activeLock(call, own));
  const text = davDocument('prop', discovery);
  respond(call, status, { 'content-type': 'application/xml; charset=utf-8', ...headers }, text);
}
