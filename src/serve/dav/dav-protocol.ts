import { once } from '../../core/once.ts';
import { foldPath } from '../../core/remote-path.ts';
import { type FileCall, header, respond } from '../files/call.ts';
import type { Protocol } from '../files/file-server.ts';
import { HTTP_PROTOCOL } from '../files/http-protocol.ts';
import { HttpError, statusOf } from '../http-error.ts';
import { copyOrMoveTree, deleteTree } from './change-tree.ts';
import {
  checkChanges,
  checkNewName,
  checkPreconditions,
  type DavCall,
  depthOf,
  foundEntry,
  pathOfUrl,
} from './dav-call.ts';
import { DeadProperties } from './dead-properties.ts';
import { lock, unlock } from './lock.ts';
import { LockTable } from './lock-table.ts';
import { propfind, proppatch } from './properties.ts';
import { put } from './put.ts';

const HANDLERS: Readonly<Record<string, (call: DavCall) => Promise<void> | void>> = {
  ...HTTP_PROTOCOL.handlers,
  OPTIONS: (call) => {
    const allowed = call.tree.options.readOnly ? READING : Object.keys(HANDLERS);
    respond(call, 200, { allow: allowed.join(', '), dav: '1, 2', 'ms-author-via': 'DAV' });
  },
  PROPFIND: propfind,
  PROPPATCH: proppatch,
  PUT: put,
  MKCOL: makeCollection,
  DELETE: deleteEntry,
  COPY: (call) => copyOrMove(call, 'copy'),
  MOVE: (call) => copyOrMove(call, 'move'),
  LOCK: lock,
  UNLOCK: unlock,
};

const READING = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND'];

/**
 * `serve webdav`: what `serve http` does, and WebDAV of classes 1 and 2 (RFC 4918). Locks and properties last as long
 * as the returned protocol.
 */
export function openWebDav(): Protocol {
  const shared = {
    locks: new LockTable(() => performance.now()),
    properties: new DeadProperties(),
    startedAt: Date.now(),
  };
  const handlers = Object.entries(HANDLERS).map(([method, handle]) => {
    const handleCall = (call: FileCall) => {
      const { tree, op } = call;
      const about = once(async () => tree.remote.can.about?.(op).catch(() => undefined));
      return handle({ ...call, ...shared, about });
    };
    return [method, handleCall] as const;
  });
  return { handlers: Object.fromEntries(handlers), reading: READING };
}

/** Responds to MKCOL. */
async function makeCollection(call: DavCall): Promise<void> {
  const { request, tree, path, op } = call;
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody) throw new HttpError(415, 'Unsupported Media Type: MKCOL has no body');
  await tree.inTurn([path], op, async () => {
    if ((await tree.find(path, op)) !== undefined) {
      throw new HttpError(405, 'Method Not Allowed: it exists');
    }
    checkPreconditions(call, undefined);
    await checkChanges(call, [{ path, names: true }]);
    await checkNewName(call, path);
    await tree.makeDir(path, op);
    call.properties.remove(path);
    respond(call, 201);
  });
}

/** Responds to DELETE: a file, or a directory with everything in it. */
async function deleteEntry(call: DavCall): Promise<void> {
  const { tree, path, op } = call;
  if (path === '') throw new HttpError(403, 'Forbidden: the root cannot be deleted');
  await tree.inTurn([path], op, async () => {
    const entry = await foundEntry(call);
    if (entry.kind === 'dir') depthOf(call, 'infinity');
    checkPreconditions(call, entry);
    await checkChanges(call, [{ path: entry.path, names: true, isDeep: true }]);
    await deleteTree(call, entry);
    call.locks.remove(entry.path);
    call.properties.remove(entry.path);
    respond(call, 204);
  });
}

/** Responds to COPY and MOVE. */
async function copyOrMove(call: DavCall, verb: 'copy' | 'move'): Promise<void> {
  const { tree, op, locks, properties } = call;
  const { to, isDeep, mayOverwrite } = readHeaders(call, verb);
  const paths = verb === 'copy' ? [to] : [call.path, to];
  await tree.inTurn(paths, op, async () => {
    const entry = await foundEntry(call);
    checkPreconditions(call, entry);
    const from = entry.path;
    const [source, target] = [foldPath(tree.remote, from), foldPath(tree.remote, to)];
    const isInside = source.startsWith(`${target}/`) || target.startsWith(`${source}/`);
    if (from === to || isInside) {
      throw new HttpError(403, 'Forbidden: source and destination overlap');
    }
    // A rename of the same entry to another case.
    const isOtherCase = source === target;
    if (isOtherCase && verb === 'copy') throw new HttpError(403, 'Forbidden: both are the same');
    const there = isOtherCase ? undefined : await tree.find(to, op);
    if (there !== undefined && !mayOverwrite)
      throw new HttpError(412, 'Precondition Failed: it exists');
    await checkChanges(call, [
      ...(verb === 'move' ? [{ path: from, names: true, isDeep: true }] : []),
      { path: to, names: there === undefined, isDeep: true },
    ]);
    if (there === undefined && !isOtherCase) await checkNewName(call, to);
    if (verb === 'copy') properties.checkCopy(from, to, isDeep);
    // Names that differ by case are one file for a disk.
    const how = { verb, isDeep, mayOverwrite: mayOverwrite || isOtherCase };
    const left = await copyOrMoveTree(call, entry, to, there, how);
    if (verb === 'copy') properties.copy(from, to, isDeep);
    else {
      properties.move(from, to);
      locks.remove(from);
    }
    if (left !== undefined) {
      const text = `The ${verb} is complete, but not everything that was there before could be deleted`;
      throw new HttpError(statusOf(left), text);
    }
    respond(call, there === undefined ? 201 : 204);
  });
}

function readHeaders(call: DavCall, verb: 'copy' | 'move') {
  const destination = header(call, 'destination');
  if (destination === undefined) throw new HttpError(400, 'Bad Request: no Destination');
  const to = pathOfUrl(call, destination);
  if (to === undefined)
    throw new HttpError(502, 'Bad Gateway: the Destination is on another server');
  if (call.path === '' || to === '') throw new HttpError(403, 'Forbidden: the root stays');
  const overwrite = header(call, 'overwrite')?.toUpperCase() ?? 'T';
  if (overwrite !== 'T' && overwrite !== 'F')
    throw new HttpError(400, 'Bad Request: invalid Overwrite');
  const depth = verb === 'copy' ? depthOf(call, '0', 'infinity') : depthOf(call, 'infinity');
  return { to, isDeep: depth === 'infinity', mayOverwrite: overwrite === 'T' };
}
