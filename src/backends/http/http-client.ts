import type { HttpAnswer } from './answer.ts';
import { HttpConnection, requestHead, SharedBuffers, WrittenTogether } from './connection.ts';
import type { HttpRequest, Origin } from './http-request.ts';
import type { HttpTrace, NetworkOptions } from './network-options.ts';
import { openSocket } from './open-socket.ts';
import { type ProxyServer, proxyFor, proxyHeaders, refusedLogin } from './proxy.ts';
import { type TrustedAuthorities, trustedAuthorities } from './trusted-authorities.ts';

/** The connections to an origin that are free, the most recently used at the end. */
interface ConnectionPool {
  readonly origin: Origin;
  readonly proxy: ProxyServer | undefined;
  /** The proxy, if it takes the requests themselves and opens no tunnel. */
  readonly forwarder: ProxyServer | undefined;
  readonly idle: HttpConnection[];
}

/** An HTTP/1.1 client that keeps its connections; decision 33 says why it is our own. */
export class HttpClient {
  readonly #trusted: TrustedAuthorities;
  readonly #network: NetworkOptions;
  readonly #clock: { monotonic(): number };
  readonly #pools = new Map<string, ConnectionPool>();
  readonly #connections = new Set<HttpConnection>();
  readonly #sessions = new Map<string, Buffer>();
  readonly #shared = new SharedBuffers();
  readonly #heads = new WrittenTogether();
  #lastId = 0;

  /** @param clock a monotonic one, in milliseconds */
  constructor(network: NetworkOptions, clock: { monotonic(): number }) {
    this.#network = network;
    this.#clock = clock;
    const { caCertificates, insecureTls, http } = network;
    this.#trusted = trustedAuthorities(caCertificates, insecureTls, http?.clientCertificate);
  }

  /** Resolves at the head, whatever its status. Rejects with a `SyncerError` or the signal's reason; that ends the body too. */
  send(plain: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { headers, singleUse, trace } = this.#network.http ?? {};
    const extra = singleUse === true ? { connection: 'close', ...headers } : headers;
    const request =
      extra === undefined ? plain : { ...plain, headers: { ...plain.headers, ...extra } };
    if (trace === undefined) {
      const mayWait = this.#network.takeSlot !== undefined;
      return mayWait ? this.#sendInSlot(request, signal) : this.#send(request, signal);
    }
    const id = ++this.#lastId;
    const { connection } = trace;
    const tell = connection && ((event: string) => connection(id, event));
    return sendTraced(trace, id, request, () => this.#sendInSlot(request, signal, tell));
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  async #sendInSlot(request: HttpRequest, signal: AbortSignal, tell?: (event: string) => void) {
    const free = await this.#network.takeSlot?.(signal);
    try {
      return await this.#send(request, signal, tell);
    } finally {
      free?.();
    }
  }

  #send(request: HttpRequest, signal: AbortSignal, tell?: (event: string) => void) {
    if (signal.aborted) return Promise.reject(signal.reason);
    const pool = this.#poolOf(request.origin);
    let idle = pool.idle.pop();
    while (idle !== undefined && idle.usableUntil <= this.#clock.monotonic()) {
      idle.close();
      idle = pool.idle.pop();
    }
    // Nearly every request: nothing is waited for but the answer.
    if (idle !== undefined && tell === undefined && pool.forwarder === undefined)
      return idle.send(request, signal);
    return this.#sendAndTell(pool, idle, request, signal, tell);
  }

  #poolOf(origin: Origin): ConnectionPool {
    const name = `${origin.secure ? 's' : ''}${origin.host}`;
    const known = this.#pools.get(name);
    if (known !== undefined) return known;
    const proxy = this.#network.http?.proxy ?? proxyFor(origin, this.#network.env);
    const forwarder = proxy?.socks || origin.secure ? undefined : proxy;
    const pool = { origin, proxy, forwarder, idle: [] };
    this.#pools.set(name, pool);
    return pool;
  }

  async #sendAndTell(
    pool: ConnectionPool,
    idle: HttpConnection | undefined,
    request: HttpRequest,
    signal: AbortSignal,
    tell: ((event: string) => void) | undefined,
  ): Promise<HttpAnswer> {
    const { forwarder } = pool;
    const { origin, target, headers } = request;
    const { host } = origin;
    const sent = forwarder && {
      ...request,
      target: `http://${host}${target}`,
      headers: { ...headers, ...proxyHeaders(forwarder) },
    };
    if (idle === undefined) tell?.(`Connecting to ${host}`);
    const connection = idle ?? (await this.#connect(pool, signal));
    tell?.(`Got connection to ${host} (reused=${idle !== undefined})`);
    const answer = await connection.send(sent ?? request, signal);
    tell?.(`Got response: status ${answer.status}`);
    if (answer.status !== 407 || forwarder === undefined) return answer;
    answer.discard();
    throw refusedLogin(forwarder, origin);
  }

  async #connect(pool: ConnectionPool, signal: AbortSignal): Promise<HttpConnection> {
    const { origin, proxy, idle } = pool;
    const { connectTimeoutMs: connectMs, timeoutMs: idleMs, http } = this.#network;
    const { singleUse, agreeMs, localAddress } = http ?? {};
    const connection = new HttpConnection({
      origin,
      shared: this.#shared,
      heads: this.#heads,
      idleMs,
      agreeMs,
      onFree: (free) => {
        // Closed a second before the server does.
        free.usableUntil = this.#clock.monotonic() + free.keptAliveMs - 1000;
        const isWanted = singleUse !== true && idle.length < 256;
        if (!isWanted || !this.#connections.has(free)) return free.close();
        idle.push(free);
      },
      onGone: (gone) => {
        this.#connections.delete(gone);
        const at = idle.indexOf(gone);
        if (at >= 0) idle.splice(at, 1);
      },
    });
    const parts = {
      origin,
      proxy,
      trusted: this.#trusted,
      sessions: this.#sessions,
      limits: { connectMs, idleMs },
      localAddress,
      onread: connection.onread,
    };
    const { trustsSystem } = this.#trusted;
    const socket = await openSocket(parts, signal).catch((error) => {
      if (signal.aborted || trustsSystem || error.fault !== 'authority') throw error;
      this.#trusted.trustSystem();
      return openSocket(parts, signal);
    });
    connection.use(socket);
    this.#connections.add(connection);
    return connection;
  }
}

/** How much of a body is kept, in bytes. */
const MOST_OF_BODY = 1024 ** 2;

/** Sends a request by `send` and reports it and its response to the trace. */
async function sendTraced(
  trace: HttpTrace,
  id: number,
  request: HttpRequest,
  send: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const { body } = request;
  const shown = trace.wantsRequestBodies && Buffer.isBuffer(body) ? body : undefined;
  const isHidden = request.isSecretTarget === true && !trace.showsSecrets;
  const head = requestHead(request, isHidden ? '/REDACTED' : request.target);
  trace.request(id, head, shown, request.origin);
  let answer: HttpAnswer;
  try {
    answer = await send();
  } catch (error) {
    trace.failure(id, error);
    throw error;
  }
  const { status, headers } = answer;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // Without the reason phrase.
  const told = `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
  if (!trace.wantsAnswerBodies) {
    trace.answer(id, told, undefined);
    return answer;
  }
  const chunks: Buffer[] = [];
  let kept = 0;
  let size = 0;
  const end = () => trace.answer(id, told, { start: Buffer.concat(chunks), size });
  answer.observe({
    data(chunk) {
      size += chunk.length;
      if (kept >= MOST_OF_BODY) return true;
      // A copy: the bytes belong to their reader, who may change them.
      const part = Buffer.from(chunk.subarray(0, MOST_OF_BODY - kept));
      kept += part.length;
      chunks.push(part);
      return true;
    },
    end,
    broken: end,
  });
  return answer;
}
