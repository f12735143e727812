import { ELSEWHERE } from '../http/connection-mover.ts';
import type { RequestHandler } from '../http/serve-connection.ts';
import { type StatusPage, statusPageAt } from '../status/status-answer.ts';

/** Requests with longer bodies, in bytes, go to the main thread before their bodies are read. */
const MAX_BODY = 1 << 20;

/**
 * A handler for threads that start no commands. What cannot be given back when it turns out that a command has to run
 * is not begun: bodies in chunks, long ones, and those that the client asks about first. So are pages about the server.
 */
export function judgingHandler(
  handle: RequestHandler,
  pages: readonly StatusPage[],
): RequestHandler {
  return async (request) => {
    const { head } = request;
    const { body, expectsContinue, target } = head;
    if (body === 'chunked' || body > MAX_BODY || expectsContinue) return ELSEWHERE;
    if (statusPageAt(target, pages) !== undefined) return ELSEWHERE;
    return await handle(request);
  };
}
