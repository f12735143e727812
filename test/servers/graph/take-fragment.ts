import type { Answer, GraphCall } from './graph-call.ts';
import { GraphFailure, invalidRequest, notFound } from './graph-failure.ts';
import type { GraphWorld } from './graph-world.ts';
import { time } from './item-json.ts';
import type { UploadSession } from './upload-session.ts';

/** Fragments other than the last are multiples of this, and none is longer than the limit. */
const FRAGMENT_UNIT = 320 * 1024;
const LONGEST_FRAGMENT = 60 * 2 ** 20;

/** The session behind an upload address, or 404. */
export function openSession(world: GraphWorld, id: string): UploadSession {
  const session = world.sessions.get(id);
  if (session === undefined || session.expires <= world.now()) {
    world.sessions.delete(id);
    throw notFound('The upload session was not found.');
  }
  return session;
}

/** How a session stands. */
export function sessionAnswer(session: UploadSession, status: number): Answer {
  const { expires, received, total } = session;
  const nextExpectedRanges =
    received.size === total ? [] : [`${received.size}-${total === undefined ? '' : total - 1}`];
  return { status, json: { expirationDateTime: time(expires), nextExpectedRanges } };
}

/** Takes a fragment in, or throws: 400 for one against the rules, 416 for one that is out of its turn. */
export function takeFragment(world: GraphWorld, session: UploadSession, call: GraphCall): void {
  const { start, end, total } = readRange(call.headers['content-range']);
  if (session.total !== undefined && session.total !== total) {
    throw invalidRequest('The total size is not that of the fragments before.');
  }
  const length = end - start + 1;
  if (length !== call.body.length) {
    throw invalidRequest('The Content-Range header length does not match the content length.');
  }
  if (length > LONGEST_FRAGMENT) {
    throw new GraphFailure(413, 'requestEntityTooLarge', 'The fragment is longer than 60 MiB.');
  }
  if (start < session.received.size) {
    throw outOfTurn('The fragment overlaps with data that is there.', 'fragmentOverlap');
  }
  if (start > session.received.size) {
    throw outOfTurn('The fragment leaves a gap.', 'fragmentOutOfOrder');
  }
  if (end + 1 !== total && length % FRAGMENT_UNIT !== 0) {
    throw invalidRequest('The fragment is no multiple of 320 KiB.', 'invalidFragmentLength');
  }
  session.total = total;
  session.received.add(call.body);
  session.expires = world.now() + world.settings.sessionSeconds * 1000;
}

function readRange(header: string | undefined): { start: number; end: number; total: number } {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header ?? '');
  if (match === null) throw invalidRequest('The Content-Range header is missing or malformed.');
  const [start = 0, end = 0, total = 0] = match.slice(1).map(Number);
  if (end < start || end >= total) throw invalidRequest('The Content-Range header is no range.');
  return { start, end, total };
}

function outOfTurn(message: string, inner: string): GraphFailure {
  return new GraphFailure(416, 'invalidRange', message, { inner });
}
