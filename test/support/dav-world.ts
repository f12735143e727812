import type { OutgoingHttpHeaders } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { type Context, systemClock } from '../../src/core/context.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { Remote } from '../../src/core/remote.ts';
import { ALL } from '../../src/engine/consent.ts';
import { startRun } from '../../src/engine/run.ts';
import { passAllFilter } from '../../src/filter/filter.ts';
import { openWebDav } from '../../src/serve/dav/dav-protocol.ts';
import type { FileCall } from '../../src/serve/files/call.ts';
import { ServedTree, type TreeOptions } from '../../src/serve/files/served-tree.ts';
import { HttpError, statusOf } from '../../src/serve/http-error.ts';

/** What a request has beside its method and its path. */
export interface DavRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is chunked, unless `headers` have its length. */
  readonly body?: string | Readable;
  readonly signal?: AbortSignal;
  /** Gets what the response has beside its status. */
  readonly onResponse?: (response: DavResponse) => void;
}

/** A response without its status. */
export interface DavResponse {
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
}

/** Sends a request to a server of WebDAV without a network, a path with a slash as such; resolves to the status. */
export type Dav = (method: string, path: string, request?: DavRequest) => Promise<number>;

const SCOPE = '<D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype>';

/** The body of a LOCK for an exclusive lock. */
export const LOCK_INFO = `<D:lockinfo xmlns:D="DAV:">${SCOPE}</D:lockinfo>`;

/** The body of a PROPPATCH that sets properties. */
export function propertyUpdate(properties: string): string {
  return `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop>${properties}</D:prop></D:set></D:propertyupdate>`;
}

/** A server of a remote, and the remote as clients see it. */
export function davWorld(
  remote: Remote,
  options: Partial<TreeOptions> = {},
): { readonly tree: ServedTree; readonly dav: Dav } {
  const tree = new ServedTree(remote, {
    ...{ isShown: undefined, noModTime: false, useServerModTime: false, etagHash: undefined },
    ...{ ignoresCase: false, links: false, atOnce: 4, readOnly: false },
    ...options,
  });
  const { handlers } = openWebDav();
  const dav: Dav = async (method, url, { headers = {}, body, signal, onResponse } = {}) => {
    const isDir = url.endsWith('/');
    const path = isDir ? url.slice(0, -1) : url;
    const op = { signal: signal ?? new AbortController().signal };
    const context: Context = { ...op, clock: systemClock, emit: () => {} };
    let status = 0;
    let sent: OutgoingHttpHeaders = {};
    let text = '';
    const response = new Writable({
      write(piece: Buffer, _encoding, done) {
        text += piece.toString();
        done();
      },
    });
    const isStream = body instanceof Readable;
    const isChunked = isStream && headers['content-length'] === undefined;
    const length = isStream ? undefined : { 'content-length': String(body?.length ?? 0) };
    const own = { ...(isChunked ? { 'transfer-encoding': 'chunked' } : length), ...headers };
    const stream = isStream ? body : Readable.from(body === undefined ? [] : [Buffer.from(body)]);
    const call = {
      ...{ tree, op, path, isDir, user: '', query: new URLSearchParams() },
      ...{ options: { base: '', lowLevelRetries: 1 }, request: { method, headers: own } },
      ...{ run: startRun({ context, filter: passAllFilter, consent: ALL }), response },
      body: () => stream,
      head: (given: number, others: OutgoingHttpHeaders) => {
        status = given;
        sent = others;
      },
    } as unknown as FileCall;
    try {
      await handlers[method]?.(call);
      onResponse?.({ headers: sent, text });
    } catch (thrown) {
      status = thrown instanceof HttpError ? thrown.status : statusOf(toSyncerError(thrown));
    }
    return status;
  };
  return { tree, dav };
}
