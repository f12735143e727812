import { foldPath } from '../../core/naming.ts';
import type { Remote } from '../../core/remote.ts';
import { header, respond } from '../files/call.ts';
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

/** Responds to MKCOL. */
export async function makeCollection(call: DavCall): Promise<void> {
  const { request, tree, path, op } = call;
  const hasBody =
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody) throw new HttpError(415, 'Unsupported Media Type: MKCOL has no body');
  await tree.inTurn([path], op, () => makeNew(call));
}

async function makeNew(call: DavCall): Promise<void> {
  const { tree, path, op, properties } = call;
  if ((await tree.find(path, op)) !== undefined) {
    throw new HttpError(405, 'Method Not Allowed: it exists');
  }
  checkPreconditions(call, undefined);
  await checkChanges(call, [{ path, names: true }]);
  await checkNewName(call, path);
  await tree.makeDir(path, op);
  properties.remove(path);
  respond(call, 201);
}

/** Responds to DELETE: a file, or a directory with everything in it. */
export async function deleteEntry(call: DavCall): Promise<void> {
  const { tree, path, op } = call;
  if (path === '') throw new HttpError(403, 'Forbidden: the root cannot be deleted');
  await tree.inTurn([path], op, () => deleteFound(call));
}

async function deleteFound(call: DavCall): Promise<void> {
  const { locks, properties } = call;
  const entry = await foundEntry(call);
  if (entry.kind === 'dir') depthOf(call, 'infinity');
  checkPreconditions(call, entry);
  await checkChanges(call, [{ path: entry.path, names: true, isDeep: true }]);
  await deleteTree(call, entry);
  locks.remove(entry.path);
  properties.remove(entry.path);
  respond(call, 204);
}

/** Responds to COPY. */
export async function copyEntry(call: DavCall): Promise<void> {
  const { to } = readHeaders(call, 'copy');
  await call.tree.inTurn([to], call.op, () => transfer(call, 'copy'));
}

/** Responds to MOVE. */
export async function moveEntry(call: DavCall): Promise<void> {
  const { to } = readHeaders(call, 'move');
  await call.tree.inTurn([call.path, to], call.op, () => transfer(call, 'move'));
}

async function transfer(call: DavCall, verb: 'copy' | 'move'): Promise<void> {
  const { tree, op, locks, properties } = call;
  const { to, isDeep, mayOverwrite } = readHeaders(call, verb);
  const entry = await foundEntry(call);
  checkPreconditions(call, entry);
  const from = entry.path;
  if (isInside(tree.remote, from, to)) {
    throw new HttpError(403, 'Forbidden: source and destination overlap');
  }
  const isOtherCase = foldPath(tree.remote, from) === foldPath(tree.remote, to);
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

/** Whether one is the other, or in it. A rename of the same entry to another case is none of these. */
function isInside(remote: Remote, from: string, to: string): boolean {
  const below = (dir: string, path: string) =>
    foldPath(remote, path).startsWith(`${foldPath(remote, dir)}/`);
  return from === to || below(from, to) || below(to, from);
}
