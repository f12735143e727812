import { STATUS_CODES } from 'node:http';
import { nameToBytes } from '../../core/name-bytes.ts';
import { canonicalHeaderName, isHeaderName } from '../../go/header-name.ts';
import { sniffContentType } from './sniff-content-type.ts';

/** What is sent back. */
export interface HookAnswer {
  readonly status: number;
  /** In any case; of equal names the last counts. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** What comes behind the body, piece by piece, while it is made; it must be read to its end or given up. */
  readonly rest?: AsyncIterable<Buffer>;
}

/** An empty body. */
export const NO_BODY = Buffer.alloc(0);

/** An answer of text, with its type guessed from it unless a header says it. */
export function textAnswer(
  status: number,
  text: string | Buffer,
  headers: HookAnswer['headers'] = [],
): HookAnswer {
  return { status, headers, body: typeof text === 'string' ? nameToBytes(text) : text };
}

/** The headers as they are sent, sorted: names canonical, values in one line, those that make no sense left out. */
export function sentHeaders({ headers, body, status }: HookAnswer): Map<string, string> {
  const sent = new Map<string, string>();
  for (const [name, value] of headers) {
    if (isHeaderName(name)) sent.set(canonicalHeaderName(name), oneLine(value));
  }
  const typed = sent.has('Content-Type') || body.length === 0 || !mayHaveBody(status);
  if (!typed) sent.set('Content-Type', sniffContentType(body));
  return sent.size < 2 ? sent : new Map([...sent].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Node sends no control characters in a head. */
function oneLine(value: string): string {
  const isPlain = !/[\0-\x08\x0a-\x1f\x7f]/.test(value);
  return (isPlain ? value : value.replace(/[\0-\x08\x0a-\x1f\x7f]/g, ' ')).trim();
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
