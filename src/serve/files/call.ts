import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Op } from '../../core/remote.ts';
import type { Run } from '../../engine/run.ts';
import type { RequestTarget } from './request-path.ts';
import type { ServedTree } from './served-tree.ts';

/** Settings of a file server. */
export interface FileServerOptions {
  /** `''` or `/pre`. */
  readonly base: string;
  readonly allowsListing: boolean;
  readonly allowsZip: boolean;
  /** Ranges are ignored (`--no-seek`). */
  readonly noSeek: boolean;
  /** Some metadata of files is sent as headers (`--metadata`). */
  readonly sendsMetadata: boolean;
  /** How often an interrupted read of the remote is continued. */
  readonly lowLevelRetries: number;
}

/** What the handlers of all requests share. */
export interface FileServices {
  readonly tree: ServedTree;
  readonly options: FileServerOptions;
  /** Of the whole server: its events, its bandwidth. */
  readonly run: Run;
}

/** One request. */
export interface FileCall extends FileServices, RequestTarget {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Who logged in; `''` without logins. */
  readonly user: string;
  /** Aborted when the client leaves. */
  readonly op: Op;
  /** The body of the request; clients that wait for `100 Continue` get it. */
  body(): IncomingMessage;
  /** Sends the head of the response. */
  head(status: number, headers: OutgoingHttpHeaders): void;
}

/** Sends a whole response. */
export function respond(
  call: FileCall,
  status: number,
  headers: OutgoingHttpHeaders = {},
  body: string | Buffer = '',
): void {
  const hasBody = status !== 204 && status !== 304;
  const length = hasBody ? { 'content-length': Buffer.byteLength(body) } : {};
  call.head(status, { ...length, ...headers });
  call.response.end(call.request.method === 'HEAD' || !hasBody ? undefined : body);
}

/** A header that was sent once. */
export function header({ request }: Pick<FileCall, 'request'>, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
