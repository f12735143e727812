import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { timerMs } from '../../core/context.ts';
import { type SyncerError, toSyncerError } from '../../core/errors.ts';
import { guardFromPages } from '../guard-from-pages.ts';
import { HttpError, statusOf } from '../http-error.ts';
import type { Serve } from '../listen/open-listeners.ts';
import type { LogIn } from '../login/log-in.ts';
import { type FileCall, type FileServices, header, readTarget } from './call.ts';
import type { ServedTree } from './served-tree.ts';

/** How a protocol responds to its requests. */
export interface Protocol {
  /** Handlers by method. A rejection becomes an error response, or cuts the response off. */
  readonly handlers: Readonly<Record<string, (call: FileCall) => Promise<void> | void>>;
  /** The methods with which a server is read; all others are refused by `--read-only`. */
  readonly reading: readonly string[];
}

/** What is served: a remote, by a protocol, which may keep locks for it. */
export interface Served {
  readonly tree: ServedTree;
  readonly protocol: Protocol;
}

/** Everything around the handlers of a protocol. */
export interface Around {
  readonly services: Omit<FileServices, 'tree'>;
  /** `undefined`: the login decides it. */
  readonly served: Served | undefined;
  /** `undefined`: everyone has access. */
  readonly logIn: LogIn<Served> | undefined;
  /** The server's own names, for requests without a login. */
  readonly ownNames: readonly string[];
  /** `--allow-origin` */
  readonly allowOrigin: string | undefined;
  /** `--response-header`: they override all others; names in lower case. */
  readonly extraHeaders: Readonly<Record<string, string>>;
  /** The time for a response, in milliseconds; 0 for no limit. */
  readonly responseMs: number;
  /** Takes each completed request. */
  readonly report: (report: {
    readonly method: string;
    readonly url: string;
    readonly user: string;
    readonly status: number;
    /** From the head of the request to the end of the response, in milliseconds. */
    readonly tookMs: number;
    /** A failure of the server or the remote, or a response that was cut off. */
    readonly failure?: SyncerError;
  }) => void;
}

/** The headers of a response to a page of another origin; the list of rclone. */
const CORS = {
  'access-control-allow-methods':
    'COPY, DELETE, GET, HEAD, LOCK, MKCOL, MOVE, OPTIONS, POST, PROPFIND, PROPPATCH, PUT, TRACE, UNLOCK',
  'access-control-allow-headers':
    'Authorization, Content-Type, Depth, Destination, If, Lock-Token, Overwrite, Prefer, TimeOut, Translate',
  'access-control-max-age': '86400',
};

/** What responds to the requests of a file server. */
export function fileServer(around: Around): Serve {
  const { signal } = around.services.run.op;
  const clients = new Set<AbortController>();
  // One listener for all requests: the signal lives as long as the server.
  signal.addEventListener('abort', () => {
    for (const client of clients) client.abort(signal.reason);
  });
  const hasLeft = new HttpError(499, 'the client left');
  return async (request, response, expectsContinue) => {
    const start = performance.now();
    const { method = 'GET', url = '/' } = request;
    const client = new AbortController();
    clients.add(client);
    const limit =
      around.responseMs > 0
        ? setTimeout(() => response.destroy(), timerMs(around.responseMs))
        : undefined;
    response.once('close', () => {
      clients.delete(client);
      if (!response.writableFinished) client.abort(hasLeft);
    });
    response.on('error', () => {});
    let waits = expectsContinue;
    let user = '';
    let failure: SyncerError | undefined;
    const head = (status: number, headers: OutgoingHttpHeaders) => {
      response.writeHead(status, {
        server: 'syncer',
        ...(around.allowOrigin !== undefined && {
          ...CORS,
          'access-control-allow-origin': around.allowOrigin,
        }),
        // A client that was not told to go on may send its body or not: the connection cannot be used again.
        ...(waits ? { connection: 'close' } : {}),
        ...headers,
        ...around.extraHeaders,
      });
    };
    try {
      const isPreflight =
        method === 'OPTIONS' &&
        around.allowOrigin !== undefined &&
        header({ request }, 'access-control-request-method') !== undefined;
      if (isPreflight) {
        head(200, { 'content-length': 0 });
        response.end();
      } else {
        const { user: name = '', served = around.served } = (await around.logIn?.(request)) ?? {};
        if (served === undefined) throw new HttpError(401, '401 Unauthorized');
        user = name;
        if (around.logIn === undefined) guard(request, around);
        const body = () => {
          if (waits) response.writeContinue();
          waits = false;
          return request;
        };
        const target = readTarget(url, around.services.options.base);
        const op = { signal: client.signal };
        const { tree, protocol } = served;
        const own = { tree, request, response, user, op, body, head };
        await handle({ ...around.services, ...target, ...own }, protocol);
      }
    } catch (thrown) {
      failure = refuse(request, response, thrown, head);
    }
    clearTimeout(limit);
    // Skips the rest of a refused body, so that the client reads the response.
    if (!request.complete) request.resume();
    if (!response.writableFinished && !response.destroyed && !response.closed) {
      await new Promise((resolve) => response.once('close', resolve));
    }
    const tookMs = performance.now() - start;
    const status = response.headersSent ? response.statusCode : 499;
    around.report({ method, url, user, status, tookMs, ...(failure && { failure }) });
  };
}

async function handle(call: FileCall, protocol: Protocol): Promise<void> {
  const { method = '' } = call.request;
  const handler = Object.hasOwn(protocol.handlers, method) ? protocol.handlers[method] : undefined;
  const isAllowed = (one: string) => !call.tree.options.readOnly || protocol.reading.includes(one);
  if (handler === undefined) {
    const allow = Object.keys(protocol.handlers).filter(isAllowed).join(', ');
    throw new HttpError(405, 'Method Not Allowed', { headers: { allow } });
  }
  if (!isAllowed(method)) throw new HttpError(403, 'Forbidden: this server is read-only');
  await handler(call);
}

/** Responds with an error, or cuts off a response that has begun. Returns what is to be logged. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
  head: FileCall['head'],
): SyncerError | undefined {
  if (response.headersSent || response.destroyed) {
    const hasLeft = response.destroyed;
    response.destroy();
    return hasLeft ? undefined : toSyncerError(thrown);
  }
  const refusal = thrown instanceof HttpError ? thrown : undefined;
  const error = refusal === undefined ? toSyncerError(thrown) : undefined;
  const status = error === undefined ? (refusal?.status ?? 500) : statusOf(error);
  const xml = refusal?.xml;
  // Messages of a remote may have paths and names that concern only the log.
  const text = refusal?.message ?? REASONS[status] ?? 'Internal Server Error';
  const body = xml ?? `${text}\n`;
  head(status, {
    'content-type':
      xml === undefined ? 'text/plain; charset=utf-8' : 'application/xml; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    ...(error?.retryAfterMs === undefined
      ? {}
      : { 'retry-after': String(Math.ceil(error.retryAfterMs / 1000)) }),
    ...refusal?.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
  return status >= 500 ? error : undefined;
}

/** What clients read of a failure of the remote. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request: invalid name',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  422: 'the content does not match its checksum',
  501: 'Not Implemented: the remote does not support this',
  502: 'Bad Gateway: the remote does not respond as it should',
  503: 'Service Unavailable: try again later',
  504: 'Gateway Timeout: the remote does not respond',
  507: 'Insufficient Storage',
};

function guard(request: IncomingMessage, { ownNames, allowOrigin }: Around): void {
  const isAllowed =
    allowOrigin !== undefined && [request.headers.origin, '*'].includes(allowOrigin);
  const fault = guardFromPages(request, ownNames, isAllowed);
  if (fault === undefined) return;
  throw new HttpError(
    403,
    fault === 'unknown-host'
      ? 'A server without a login takes requests for an IP address or localhost only. Use one of these, or start it with --user and --pass.'
      : 'A server without a login takes no changes from web pages of other origins.',
  );
}
