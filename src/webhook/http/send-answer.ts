import type { ServerResponse } from 'node:http';
import { nameToBytes } from '../../core/name-bytes.ts';
import { drained } from '../../kit/drained.ts';
import { type HookAnswer, mayHaveBody, NO_BODY, sentHeaders, statusText } from './answer.ts';
import { type RequestHead, saysClose } from './request-head.ts';

/** The length of a longer body is not said, as in Go. */
const MAX_MEASURED = 2048;

/** Whether an answer says how long its body is; where it does not, the body goes in chunks or ends the connection. */
export function isMeasured({ body, rest }: HookAnswer): boolean {
  return rest === undefined && body.length <= MAX_MEASURED;
}

/** Prepares the head of an answer; it is sent with the first of the body. */
export function writeHead(
  response: ServerResponse,
  answer: HookAnswer,
  { version, method }: Pick<RequestHead, 'version' | 'method'>,
  keepAlive: boolean,
): void {
  const isOld = version === 'HTTP/1.0';
  if (answer.status < 200 && answer.status !== 101 && !isOld) {
    response.writeInformation(answer.status, rawHeaders(sentHeaders({ ...answer, body: NO_BODY })));
  }
  const status = Math.max(answer.status, 200);
  const { length } = answer.body;
  const headers = sentHeaders(answer);
  headers.delete('Transfer-Encoding');
  headers.delete('Content-Length');
  headers.delete('Trailer');
  if (mayHaveBody(status) && isMeasured(answer) && (method !== 'HEAD' || length > 0)) {
    headers.set('Content-Length', String(length));
  }
  // Node would name what goes without saying.
  response.removeHeader('Connection');
  response.shouldKeepAlive = keepAlive;
  if (isOld) response.useChunkedEncodingByDefault = false;
  const connection = headers.get('Connection');
  if (isOld && keepAlive) headers.set('Connection', 'keep-alive');
  else if (!isOld && !keepAlive) headers.set('Connection', 'close');
  else if (isOld && !saysClose(connection)) headers.delete('Connection');
  response.writeHead(status, statusText(status) ?? `status code ${status}`, rawHeaders(headers));
}

/** What can be sent at once of an answer's body; a short one as text, which goes in one piece with the head. */
export function bodyToSend({ body, status }: HookAnswer, method: string): string | Buffer {
  if (method === 'HEAD' || !mayHaveBody(status)) return '';
  return body.length > MAX_MEASURED ? body : body.toString('latin1');
}

/**
 * Sends what a command still writes.
 * @param waits told whether the command is waited for, or the client
 */
export async function sendRest(
  response: ServerResponse,
  rest: AsyncIterable<Buffer>,
  waits: (forCommand: boolean) => void,
): Promise<void> {
  response.on('error', () => {});
  waits(true);
  for await (const piece of rest) {
    if (piece.length === 0) continue;
    if (response.destroyed) return;
    if (response.write(piece)) continue;
    waits(false);
    await drained(response);
    waits(true);
  }
  waits(false);
}

/** Names and values in turn, each letter a byte. */
function rawHeaders(headers: ReadonlyMap<string, string>): string[] {
  const raw: string[] = [];
  for (const [name, value] of headers) {
    raw.push(name, /^[\0-\x7f]*$/.test(value) ? value : nameToBytes(value).toString('latin1'));
  }
  return raw;
}
