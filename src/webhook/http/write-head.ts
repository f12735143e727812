import { ServerResponse } from 'node:http';
import { nameToBytes } from '../../core/name-bytes.ts';
import { type HookAnswer, mayHaveBody, NO_BODY, sentHeaders, statusText } from './answer.ts';
import { type RequestHead, saysClose } from './request-head.ts';
import { isMeasured } from './send-answer.ts';

/** What Node calls, undocumented, with the first line of a head and its headers. */
interface HeadWriter {
  _storeHeader(firstLine: string, headers: readonly string[]): void;
}

const parent = ServerResponse.prototype as unknown as HeadWriter;

/** An answer in the version of its request, as in Go: Node always uses HTTP/1.1. */
export class VersionedResponse extends ServerResponse implements HeadWriter {
  _storeHeader(firstLine: string, headers: readonly string[]): void {
    const isOld = this.req.httpVersionMinor === 0;
    const line = isOld ? firstLine.replace('HTTP/1.1', 'HTTP/1.0') : firstLine;
    parent._storeHeader.call(this, line, headers);
  }
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

/** Names and values in turn, each letter a byte. */
function rawHeaders(headers: ReadonlyMap<string, string>): string[] {
  const raw: string[] = [];
  for (const [name, value] of headers) {
    raw.push(name, /^[\0-\x7f]*$/.test(value) ? value : nameToBytes(value).toString('latin1'));
  }
  return raw;
}
