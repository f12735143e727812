import { Readable } from 'node:stream';
import { type Context, systemClock } from '../../src/core/context.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { Remote } from '../../src/core/remote.ts';
import { passAllFilter } from '../../src/filter/filter.ts';
import { openWebDav } from '../../src/serve/dav/dav-protocol.ts';
import type { FileCall } from '../../src/serve/files/call.ts';
import { ServedTree } from '../../src/serve/files/served-tree.ts';
import { HttpError, statusOf } from '../../src/serve/http-error.ts';
import { startRun } from '../../src/sync/run.ts';

/** What a request has beside its method and its path. */
export interface DavRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is received while it is written. */
  readonly body?: string | Readable;
  readonly signal?: AbortSignal;
}

/** Sends a request to a server of WebDAV without a network; resolves to the status. */
export type Dav = (method: string, path: string, request?: DavRequest) => Promise<number>;

/** A server of a remote, and the remote as clients see it. */
export function davWorld(remote: Remote): { readonly tree: ServedTree; readonly dav: Dav } {
  const tree = new ServedTree(remote, {
    ...{ isShown: undefined, noModTime: false, useServerModTime: false, etagHash: undefined },
    ...{ ignoresCase: false, links: false, atOnce: 4, readOnly: false },
  });
  const { handlers } = openWebDav();
  const dav: Dav = async (method, path, { headers = {}, body, signal } = {}) => {
    const op = { signal: signal ?? new AbortController().signal };
    const context: Context = { ...op, clock: systemClock, emit: () => {} };
    let status = 0;
    const isStream = body instanceof Readable;
    const length = isStream ? 'transfer-encoding' : 'content-length';
    const own = { [length]: isStream ? 'chunked' : String(body?.length ?? 0), ...headers };
    const stream = isStream ? body : Readable.from(body === undefined ? [] : [Buffer.from(body)]);
    const call = {
      ...{ tree, op, path, isDir: false, user: '', query: new URLSearchParams() },
      ...{ options: { base: '', lowLevelRetries: 1 }, request: { method, headers: own } },
      ...{ run: startRun({ context, filter: passAllFilter }), response: { end: () => {} } },
      body: () => stream,
      head: (given: number) => {
        status = given;
      },
    } as unknown as FileCall;
    try {
      await handlers[method]?.(call);
    } catch (thrown) {
      status = thrown instanceof HttpError ? thrown.status : statusOf(toSyncerError(thrown));
    }
    return status;
  };
  return { tree, dav };
}
