import { ContentBuilder, makeContent } from '../file-content.ts';
import { type Answer, conflictOf, type GraphCall, isObject, readJson } from '../graph-call.ts';
import { GraphFailure, invalidRequest, notFound } from '../graph-failure.ts';
import type { GraphWorld } from '../graph-world.ts';
import { type ItemAddress, walk } from '../item-address.ts';
import { itemJson } from '../item-json.ts';
import { checkMatch, type ItemHandler, itemAnswer, readTimes } from '../item-request.ts';
import { checkTarget, placeFile } from '../place-file.ts';
import { openSession, sessionAnswer, takeFragment } from '../take-fragment.ts';
import type { UploadSession } from '../upload-session.ts';

/** PUT of a small file's content in one request. */
export const putContent: ItemHandler = (request) => {
  const { world, call, drive, address } = request;
  if (call.body.length > world.settings.maxContentBytes) {
    throw new GraphFailure(413, 'requestEntityTooLarge', 'Use an upload session.');
  }
  if (address.item !== undefined) checkMatch(call.headers['if-match'], address.item, drive);
  else if (call.headers['if-match'] !== undefined) throw notFound();
  const placed = placeFile(world, address, {
    content: makeContent(call.body),
    mimeType: call.headers['content-type'] ?? 'application/octet-stream',
    behavior: conflictOf(call) ?? 'replace',
    times: {},
  });
  return itemAnswer(request, placed.created ? 201 : 200, placed.item);
};

/** POST createUploadSession. Without a conflict behaviour it replaces, whatever the documentation says. */
export const createSession: ItemHandler = ({ world, call, drive, address }) => {
  const body = readJson(call);
  const about = body['item'] ?? {};
  if (!isObject(about)) throw invalidRequest('item is no object.');
  const ifMatch = call.headers['if-match'];
  if (address.item !== undefined) checkMatch(ifMatch, address.item, drive);
  else if (ifMatch !== undefined) throw notFound();
  const named = about['name'];
  const name = typeof named === 'string' && address.item === undefined ? named : undefined;
  const behavior = conflictOf(call, about) ?? 'replace';
  const times = readTimes(about);
  checkTarget(address, { behavior, times, name, mimeType: '' });
  const size = about['fileSize'];
  if (size !== undefined && world.settings.refusesFileSize) {
    throw invalidRequest('The property fileSize is not known.');
  }
  if (typeof size === 'number') drive.needSpace(size);
  const session: UploadSession = {
    id: crypto.randomUUID(),
    address,
    name,
    behavior,
    times,
    ifMatch,
    deferCommit: body['deferCommit'] === true,
    received: new ContentBuilder(),
    total: undefined,
    expires: world.now() + world.settings.sessionSeconds * 1000,
  };
  world.sessions.set(session.id, session);
  const { json } = sessionAnswer(session, 200);
  const uploadUrl = `${call.contentOrigin}/upload/${session.id}?tempauth=v1`;
  return { status: 200, json: { uploadUrl, ...(isObject(json) && json) } };
};

/** What is sent to an upload address: fragments, questions, an end. */
export function answerSession(world: GraphWorld, id: string, call: GraphCall): Answer {
  const session = openSession(world, id);
  if (call.method === 'GET') return sessionAnswer(session, 200);
  if (call.method === 'DELETE') {
    world.sessions.delete(id);
    return { status: 204 };
  }
  if (call.method === 'POST') return commit(world, session, call);
  takeFragment(world, session, call);
  if (session.received.size !== session.total || session.deferCommit)
    return sessionAnswer(session, 202);
  return commit(world, session, call);
}

function commit(world: GraphWorld, session: UploadSession, call: GraphCall): Answer {
  const { drive } = session.address;
  if (session.received.size !== session.total) throw invalidRequest('Fragments are missing.');
  const address = presentAddress(session);
  if (address.item !== undefined) checkMatch(session.ifMatch, address.item, drive);
  const placed = placeFile(world, address, {
    content: session.received.content(),
    mimeType: 'application/octet-stream',
    behavior: session.behavior,
    times: session.times,
    name: session.name,
  });
  world.sessions.delete(session.id);
  return {
    status: placed.created ? 201 : 200,
    json: itemJson(placed.item, { world, call, drive }),
  };
}

/** The session's address as things are now: the item may have come or gone since. */
function presentAddress({ address }: UploadSession): ItemAddress {
  const { drive, item, nearest, missing, action } = address;
  const isThere = item !== undefined && drive.items.has(item.id);
  if (isThere) return address;
  const folder = item === undefined ? nearest : item.parent;
  if (folder === undefined || !drive.items.has(folder.id)) throw notFound('The folder is gone.');
  return { drive, action, ...walk(folder, item === undefined ? missing : [item.name]) };
}
