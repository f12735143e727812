import { ServerResponse, STATUS_CODES } from 'node:http';
import { nameToBytes } from '../../core/name-bytes.ts';
import { canonicalHeaderName, isHeaderName } from '../../go/go-texts.ts';
import { type RequestHead, saysClose } from './request-head.ts';

export interface HookAnswer {
  readonly status: number;
  /** In any case; of equal names the last counts. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** What comes behind the body, piece by piece, while it is made; it must be read to its end or given up. */
  readonly rest?: AsyncIterable<Buffer>;
}

export const NO_BODY = Buffer.alloc(0);

/** An answer of text, with its type guessed from it unless a header says it. */
export function textAnswer(
  status: number,
  text: string | Buffer,
  headers: HookAnswer['headers'] = [],
): HookAnswer {
  return { status, headers, body: typeof text === 'string' ? nameToBytes(text) : text };
}

const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/g;

/** The headers as they are sent, sorted: names canonical, values in one line, those that make no sense left out. */
export function sentHeaders({ headers, body, status }: HookAnswer): Map<string, string> {
  const sent = new Map<string, string>();
  for (const [name, value] of headers) {
    if (!isHeaderName(name)) continue;
    // Node sends no control characters in a head.
    sent.set(canonicalHeaderName(name), value.replace(CONTROL, ' ').trim());
  }
  const typed = sent.has('Content-Type') || body.length === 0 || !mayHaveBody(status);
  if (!typed) sent.set('Content-Type', sniffContentType(body));
  return sent.size < 2 ? sent : new Map([...sent].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether answers with this status carry a body. */
export function mayHaveBody(status: number): boolean {
  return status >= 100 && status !== 204 && status !== 304;
}

/** What Go calls otherwise than Node, or does not know. */
const OWN: Readonly<Record<number, string | undefined>> = {
  413: 'Request Entity Too Large',
  414: 'Request URI Too Long',
  416: 'Requested Range Not Satisfiable',
  418: "I'm a teapot",
  509: undefined,
};

/** The text that Go knows for a status; hooks can use only those that have one. */
export function statusText(status: number): string | undefined {
  return status in OWN ? OWN[status] : STATUS_CODES[status];
}

const HTML =
  /^[\t\n\f\r ]*<(?:(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >]|!--)/i;

/** Beginnings of files, as latin1 text, in the order in which the WHATWG's MIME sniffing looks for them. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [HTML, 'text/html; charset=utf-8'],
  [/^[\t\n\f\r ]*<\?xml/, 'text/xml; charset=utf-8'],
  [/^%PDF-/, 'application/pdf'],
  [/^%!PS-Adobe-/, 'application/postscript'],
  [/^\xfe\xff../s, 'text/plain; charset=utf-16be'],
  [/^\xff\xfe../s, 'text/plain; charset=utf-16le'],
  [/^\xef\xbb\xbf./s, 'text/plain; charset=utf-8'],
  [/^\0\0\x01\0/, 'image/x-icon'],
  [/^\0\0\x02\0/, 'image/x-icon'],
  [/^BM/, 'image/bmp'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF....WEBPVP/s, 'image/webp'],
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^FORM....AIFF/s, 'audio/aiff'],
  [/^ID3/, 'audio/mpeg'],
  [/^OggS\0/, 'application/ogg'],
  [/^MThd\0\0\0\x06/, 'audio/midi'],
  [/^RIFF....AVI /s, 'video/avi'],
  [/^RIFF....WAVE/s, 'audio/wave'],
  [/^....ftyp(?:mp4|....(?:....)*?mp4)/s, 'video/mp4'],
  [/^\x1aE\xdf\xa3/, 'video/webm'],
  [/^.{34}LP/s, 'application/vnd.ms-fontobject'],
  [/^\0\x01\0\0/, 'font/ttf'],
  [/^OTTO/, 'font/otf'],
  [/^ttcf/, 'font/collection'],
  [/^wOFF/, 'font/woff'],
  [/^wOF2/, 'font/woff2'],
  [/^\x1f\x8b\x08/, 'application/x-gzip'],
  [/^PK\x03\x04/, 'application/zip'],
  [/^Rar!\x1a\x07(?:\0|\x01\0)/, 'application/x-rar-compressed'],
  [/^\0asm/, 'application/wasm'],
];
/** A text that begins like this is none of them. */
const PLAIN = /^(?!BM|GIF|RIFF|FORM|ID3|OggS|MThd|OTTO|ttcf|wOF|PK|Rar!|....ftyp|.{34}LP)[A-Za-z]/s;
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** The type of a body that has none, guessed from its first 512 bytes as Go does. */
export function sniffContentType(body: Buffer): string {
  const start = body.toString('latin1', 0, 512);
  const found = PLAIN.test(start)
    ? undefined
    : BEGINNINGS.find(([beginning]) => beginning.test(start));
  if (found !== undefined) return found[1];
  return BINARY.test(start) ? 'application/octet-stream' : 'text/plain; charset=utf-8';
}

/** The length of a longer body is not said, as in Go. */
const MAX_MEASURED = 2048;

/** Whether an answer says how long its body is; where it does not, the body goes in chunks or ends the connection. */
export function isMeasured({ body, rest }: HookAnswer): boolean {
  return rest === undefined && body.length <= MAX_MEASURED;
}

/** What can be sent at once of an answer's body; a short one as text, which goes in one piece with the head. */
export function bodyToSend({ body, status }: HookAnswer, method: string): string | Buffer {
  if (method === 'HEAD' || !mayHaveBody(status)) return '';
  return body.length > MAX_MEASURED ? body : body.toString('latin1');
}

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
