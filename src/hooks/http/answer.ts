import { nameToBytes } from '../../core/name-bytes.ts';
import { canonicalHeaderName, isHeaderName } from '../go/header-name.ts';
import { sniffContentType } from './sniff-content-type.ts';
import { statusText } from './status-text.ts';

/** What is sent back. */
export interface Answer {
  readonly status: number;
  /** In any case; of equal names the last counts. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** What comes behind the body, piece by piece, while it is made; it must be read to its end or given up. */
  readonly rest?: AsyncIterable<Buffer>;
}

/** An answer of text, with its type guessed from it unless a header says it. */
export function textAnswer(
  status: number,
  text: string | Buffer,
  headers: Answer['headers'] = [],
): Answer {
  return { status, headers, body: typeof text === 'string' ? nameToBytes(text) : text };
}

const MAX_UNCHUNKED = 2048;
const NO_BODY = Buffer.alloc(0);

/** How an answer goes over the wire. */
export interface WireOptions {
  readonly version: string;
  readonly method: string;
  readonly keepAlive: boolean;
  /** The value of `Date`. */
  readonly date: string;
}

/** The headers as they are sent, sorted: names canonical, values without line breaks, those that make no sense left out. */
export function sentHeaders({ headers, body, status }: Answer): Map<string, string> {
  const sent = new Map<string, string>();
  for (const [name, value] of headers) {
    if (isHeaderName(name)) sent.set(canonicalHeaderName(name), oneLine(value));
  }
  const typed = sent.has('Content-Type') || body.length === 0 || !mayHaveBody(status);
  if (!typed) sent.set('Content-Type', sniffContentType(body));
  return sent.size < 2 ? sent : new Map([...sent].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function oneLine(value: string): string {
  return (/[\r\n]/.test(value) ? value.replace(/[\r\n]/g, ' ') : value).trim();
}

/** The bytes of an answer. */
export function answerBytes(answer: Answer, options: WireOptions): Buffer {
  const { version, method, keepAlive, date } = options;
  const headers = sentHeaders(answer);
  const interim = answer.status < 200 ? head(version, answer.status, ownHeaders(answer)) : '';
  const status = Math.max(answer.status, 200);
  headers.set('Date', headers.get('Date') ?? date);
  const hasBody = mayHaveBody(status);
  const chunked =
    hasBody &&
    method !== 'HEAD' &&
    version === 'HTTP/1.1' &&
    (answer.body.length > MAX_UNCHUNKED || answer.rest !== undefined);
  if (chunked) headers.set('Transfer-Encoding', 'chunked');
  else if (answer.rest !== undefined) headers.delete('Content-Length');
  else if (hasBody && !(method === 'HEAD' && answer.body.length === 0)) {
    headers.set('Content-Length', String(answer.body.length));
  }
  if (version === 'HTTP/1.1' && !keepAlive) headers.set('Connection', 'close');
  if (version === 'HTTP/1.0' && keepAlive) headers.set('Connection', 'keep-alive');
  const text = `${interim}${head(version, status, headers)}`;
  if (hasBody && method !== 'HEAD' && !chunked && Buffer.byteLength(text) === text.length) {
    const bytes = Buffer.allocUnsafe(text.length + answer.body.length);
    bytes.write(text, 'latin1');
    bytes.set(answer.body, text.length);
    return bytes;
  }
  const top = nameToBytes(text);
  if (!hasBody || method === 'HEAD') return top;
  if (!chunked) return Buffer.concat([top, answer.body]);
  const end = answer.rest === undefined ? [LAST_CHUNK] : [];
  return Buffer.concat([top, chunkBytes(answer.body), ...end]);
}

function ownHeaders(answer: Answer): Map<string, string> {
  return sentHeaders({ ...answer, body: NO_BODY });
}

/** What ends a body in chunks. */
export const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** A piece of a body in chunks; it must not be empty. */
export function chunkBytes(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, LINE_END]);
}

const LINE_END = Buffer.from('\r\n');

function head(version: string, status: number, headers: ReadonlyMap<string, string>): string {
  let text = `${version} ${status} ${statusText(status) ?? `status code ${status}`}\r\n`;
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
  return `${text}\r\n`;
}

/** Whether answers with this status carry a body. */
export function mayHaveBody(status: number): boolean {
  return status >= 100 && status !== 204 && status !== 304;
}
