import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from './graph-failure.ts';

/** A request as the handlers see it: whole, with its body. */
export interface GraphCall {
  readonly method: string;
  /** Path as it was sent, still percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Scheme and host that the client used, for links back to the same place. */
  readonly origin: string;
  /** Scheme and host of upload, download and monitor addresses. */
  readonly contentOrigin: string;
}

/** What a handler answers. At most one of `json` and `body`. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: readonly Buffer[];
  /** Of something before the service, which knows none of its headers. */
  readonly isStranger?: boolean;
}

/** A JSON object of the client's. */
export type JsonObject = { readonly [name: string]: unknown };

/** Whether a value is an object with names. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The body as an object; an empty body is an empty object. */
export function readJson(call: GraphCall): JsonObject {
  if (call.body.length === 0) return {};
  if (!/^application\/json\b/i.test(call.headers['content-type'] ?? '')) {
    throw invalidRequest('A body needs the Content-Type application/json.');
  }
  const text = call.body.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest('The request body is not JSON.');
  }
  if (!isObject(value)) throw invalidRequest('The request body is no object.');
  return value;
}

/** One part of the address, decoded. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidRequest('The address is not percent-encoded as it must be.');
  }
}

/** What to do when a name is taken; `undefined`: the client did not say. */
export type ConflictBehavior = 'fail' | 'replace' | 'rename';

/** The conflict behaviour of the query, or else of a body. */
export function conflictOf(call: GraphCall, body: JsonObject = {}): ConflictBehavior | undefined {
  const names = ['@microsoft.graph.conflictBehavior', '@name.conflictBehavior'];
  for (const name of names) {
    const value = call.query.get(name) ?? body[name];
    if (value === undefined || value === null) continue;
    if (value === 'fail' || value === 'replace' || value === 'rename') return value;
    throw invalidRequest(`${name} is none of fail, replace, rename.`);
  }
  return undefined;
}
