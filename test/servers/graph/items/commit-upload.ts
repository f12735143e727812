import { conflictOf, readJson } from '../graph-call.ts';
import { invalidRequest } from '../graph-failure.ts';
import { walk } from '../item-address.ts';
import { type ItemHandler, itemAnswer } from '../item-request.ts';
import { placeFile } from '../place-file.ts';
import { openSession } from '../take-fragment.ts';

/**
 * PUT of an item with `@microsoft.graph.sourceUrl`: the bytes that an upload session holds become the file, where the
 * session itself could not, for a name that was taken for example.
 */
export const commitUpload: ItemHandler = (request) => {
  const { world, call, drive, address } = request;
  const body = readJson(call);
  const source = body['@microsoft.graph.sourceUrl'];
  const name = body['name'];
  if (typeof source !== 'string' || !URL.canParse(source)) {
    throw invalidRequest('@microsoft.graph.sourceUrl is missing.');
  }
  const session = openSession(world, new URL(source).pathname.split('/').at(-1) ?? '');
  if (session.received.size !== session.total) throw invalidRequest('Fragments are missing.');
  const inFolder = address.item?.children !== undefined && typeof name === 'string';
  const target = inFolder ? { ...address, ...walk(address.nearest, [name]) } : address;
  const placed = placeFile(world, target, {
    content: session.received.content(),
    mimeType: 'application/octet-stream',
    behavior: conflictOf(call, body) ?? 'fail',
    times: session.times,
  });
  world.sessions.delete(session.id);
  return itemAnswer({ ...request, drive }, placed.created ? 201 : 200, placed.item);
};
