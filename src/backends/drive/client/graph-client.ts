import type { Context } from '../../../core/context.ts';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import { isJsonObject, jsonObject } from '../../../core/json-object.ts';
import { type ModTime, modTimeFromMs } from '../../../core/mod-time.ts';
import type { Op } from '../../../core/remote.ts';
import { type RetryPolicy, requestPolicy, retry } from '../../../core/retry.ts';
import { applicationToken, refreshToken } from '../../auth/oauth-token.ts';
import { TokenKeeper } from '../../auth/token-keeper.ts';
import type { OpenParams } from '../../backend.ts';
import { type HttpAnswer, readWhole } from '../../http/answer.ts';
import { StaleConnection } from '../../http/connection-error.ts';
import { HttpClient } from '../../http/http-client.ts';
import { type HttpRequest, originOf } from '../../http/http-request.ts';
import type { TransportOptions } from '../../http/network-options.ts';
import { unifyIds } from '../items/graph-item.ts';
import { readSettings } from '../settings.ts';
import {
  badAnswer,
  type GraphAnswer,
  GraphError,
  type GraphRequest,
  hasStatus,
} from './graph-request.ts';
import { Limiter } from './limiter.ts';

/** How far the service's clocks may differ, in milliseconds. */
export const CLOCKS_MS = 5000;

/** Whether an earlier try of a request may have succeeded, as no response of the service itself arrived. */
interface Tried {
  isUnsure: boolean;
}

/** Whether the service asks to slow down. */
const isThrottled = (error: SyncerError): boolean =>
  error instanceof GraphError && (error.code === 'throttled' || (error.namesWait && error.retry));

/** Throttled requests wait at the limiter, all together. */
const callPolicy: RetryPolicy = {
  ...requestPolicy,
  waitMs: (error, failures, random) =>
    isThrottled(error) ? undefined : requestPolicy.waitMs(error, failures, random),
};

/** What a client is created from. */
export interface GraphClientParts {
  readonly http: HttpClient;
  readonly keeper: TokenKeeper;
  readonly limiter: Limiter;
  readonly graphUrl: URL;
  readonly isChina?: boolean;
  readonly transport: TransportOptions;
  readonly context: Context;
}

/** Sends requests to the Graph API with the login, retries, obeys the service's limits; throws only `SyncerError`s. */
export class GraphClient {
  readonly context: Context;
  readonly tries: number;
  readonly limiter: Limiter;
  readonly transport: TransportOptions;
  readonly #parts: GraphClientParts;
  /** Reasons for a missing token: the token keeper has already retried what may pass, for all waiting requests. */
  readonly #tokenErrors = new WeakSet<object>();
  /** Of the last response. */
  #date: string | undefined;

  constructor(parts: GraphClientParts) {
    this.#parts = parts;
    this.context = parts.context;
    this.transport = parts.transport;
    this.limiter = parts.limiter;
    this.tries = Math.max(1, parts.transport.lowLevelRetries);
  }

  /** Sends a request and reads the whole response. Rejects with a `GraphError` for a status of 400 or more. */
  call(request: GraphRequest, op: Op): Promise<GraphAnswer> {
    return this.open(request, op, async (answer) => {
      const { status, headers } = answer;
      this.#date = headers['date'] ?? this.#date;
      // A page of 1,000 items has less than 5 MiB.
      const body = await readWhole(answer, 64 * 1024 ** 2);
      const json = body.length === 0 ? {} : jsonObject<Json>(body.toString('utf8'));
      if (json === undefined || Array.isArray(json)) {
        throw badAnswer(request, 'the response is not from the service');
      }
      const items: readonly object[] = Array.isArray(json['value']) ? json['value'] : [json];
      for (let at = 0; at < items.length; at++) unifyIds(items[at]);
      return { status, headers, json };
    });
  }

  /** Sends a request and passes the response to `use` when its head has arrived; `use` is part of what is retried. */
  async open<T>(
    request: GraphRequest,
    op: Op,
    use: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> {
    const tried = { isUnsure: false };
    let isOver = false;
    const attempt = async () => {
      try {
        const value = await use(await this.#withLogin(request, op, tried));
        this.limiter.succeeded();
        return value;
      } catch (thrown) {
        op.signal.throwIfAborted();
        const error = toSyncerError(thrown);
        isOver = this.#tokenErrors.has(error);
        if (isOver) throw error;
        if (isThrottled(error)) this.limiter.complained(error.retryAfterMs, error);
        const isUnsure = !(error instanceof GraphError) || error.code === 'server';
        tried.isUnsure ||= isUnsure;
        isOver = isUnsure && request.isOnce === true;
        throw error;
      }
    };
    return retry(attempt, {
      tries: request.tries ?? this.tries,
      policy: callPolicy,
      what: `${request.doing} ${request.about}`,
      signal: op.signal,
      context: this.context,
      giveUp: () => isOver,
    });
  }

  /** The time by the service's clock, from its last response. */
  toldAt(): { readonly toldAt?: ModTime } {
    const ms = Date.parse(this.#date ?? '');
    return Number.isNaN(ms) ? {} : { toldAt: modTimeFromMs(ms) };
  }

  close(): void {
    this.#parts.http.close();
  }

  /**
   * One try, and immediately another with a new token if the service refuses the token. That is a repair and no retry:
   * the reason is known and gone, so it is not counted as a try.
   */
  async #withLogin(request: GraphRequest, op: Op, tried: Tried): Promise<HttpAnswer> {
    if (request.isOpen === true) return this.#attempt(request, undefined, op, tried);
    const { keeper } = this.#parts;
    const fail = (thrown: unknown) => {
      const error = toSyncerError(thrown);
      this.#tokenErrors.add(error);
      throw error;
    };
    let token = await keeper.get(op.signal).catch(fail);
    for (let tokens = 1; ; tokens++) {
      try {
        return await this.#attempt(request, token, op, tried);
      } catch (thrown) {
        if (!hasStatus(thrown, 401) || tokens >= 3) throw thrown;
        token = await keeper.replace(token, op.signal).catch(fail);
      }
    }
  }

  /** Sends it when the limiter allows it; again on another connection if the server had closed the first one. */
  async #attempt(request: GraphRequest, token: string | undefined, op: Op, tried: Tried) {
    await this.limiter.enter(op.signal);
    try {
      for (;;) {
        const answer = await this.#send(request, token, op, tried);
        if (answer !== undefined) return answer;
        tried.isUnsure = true;
      }
    } finally {
      this.limiter.leave();
    }
  }

  /** `undefined` if the server had closed the connection. */
  async #send(request: GraphRequest, token: string | undefined, op: Op, { isUnsure }: Tried) {
    const { http, transport } = this.#parts;
    await transport.takeTransaction?.(op.signal);
    await this.context.requestGate?.limit?.(op.signal);
    let answer: HttpAnswer;
    try {
      answer = await http.send(this.#httpRequest(request, token), op.signal);
    } catch (thrown) {
      op.signal.throwIfAborted();
      if (thrown instanceof StaleConnection && request.isOnce !== true) return undefined;
      throw thrown;
    }
    if (answer.status < 300 || (answer.status < 400 && request.takesRedirect === true))
      return answer;
    if (answer.status < 400) {
      answer.discard();
      throw badAnswer(request, `the service returned status ${answer.status}`);
    }
    const { status, headers } = answer;
    const body = await readWhole(answer, 1024 ** 2).catch((thrown) => {
      // Only its body shows whether an item is missing.
      if (status === 404 && request.isOpen !== true) throw thrown;
      return Buffer.alloc(0);
    });
    op.signal.throwIfAborted();
    const refusal = { status, headers, body: body.toString('utf8') };
    throw new GraphError(request, refusal, this.context.clock.now(), isUnsure);
  }

  #httpRequest(request: GraphRequest, token: string | undefined): HttpRequest {
    const { graphUrl, isChina = false, transport } = this.#parts;
    const { method, to } = request;
    const path = isChina && typeof to === 'string' ? quoteNames(method, to) : to;
    const url = typeof path === 'string' ? new URL(graphUrl.href + path) : path;
    // The login is sent to the service only, wherever a link leads, and never without TLS if the service has it.
    if (request.isOpen !== true && url.origin !== graphUrl.origin) {
      throw badAnswer(request, `the service redirects to another host (${url.origin})`);
    }
    if (url.protocol !== 'https:' && url.protocol !== graphUrl.protocol) {
      throw badAnswer(request, `the service redirects to an address without TLS (${url.origin})`);
    }
    const json = request.json === undefined ? undefined : Buffer.from(JSON.stringify(request.json));
    const body = request.body ?? json;
    const needsLength = body !== undefined || request.method !== 'GET';
    return {
      method,
      origin: originOf(url),
      target: url.pathname + url.search,
      ...(request.isOpen === true ? { isSecretTarget: true } : {}),
      headers: {
        host: url.host,
        'user-agent': transport.userAgent,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(needsLength ? { 'content-length': String(body?.length ?? 0) } : {}),
        ...request.headers,
      },
      body,
      asksFirst: false,
    };
  }
}

/** A request path in the form of the cloud in China, with `children('name')`; to read an item, in the query. */
export function quoteNames(method: string, to: string): string {
  // What `requestPath` makes of an item, a path below it, and an action, with a query.
  const form = /^(\/drives\/[^:?]+):\/([^:?]+)(?::([^?]*))?(\?.*)?$/;
  const [, item, path = '', action = '', query = ''] = form.exec(to) ?? [];
  if (item === undefined) return to;
  const quoted = path.replaceAll('%27', '%27%27');
  if (method === 'GET' && action === '') {
    return `${item}/children('@a1')?@a1=%27${quoted.replaceAll('/', '%2F')}%27`;
  }
  const names = quoted.split('/').map((name) => `/children('${name}')`);
  return `${item}${names.join('')}${action}${query}`;
}

/** What an operation asks of the service. */
export class GraphCalls {
  readonly client: GraphClient;
  readonly op: Op;

  constructor(client: GraphClient, op: Op) {
    this.client = client;
    this.op = op;
  }

  /** As `GraphClient.call`. */
  call(request: GraphRequest): Promise<GraphAnswer> {
    return this.client.call(request, this.op);
  }

  /** As `GraphClient.open`. */
  open<T>(request: GraphRequest, use: (answer: HttpAnswer) => Promise<T>): Promise<T> {
    return this.client.open(request, this.op, use);
  }
}

type Json = Readonly<Record<string, unknown>>;
type Asked = Pick<GraphRequest, 'doing' | 'about'>;

export interface GraphPage {
  readonly items: readonly Json[];
  readonly json: Json;
  readonly next: URL | undefined;
}

/** One page of a list. Rejects with `bad-answer` for anything else, or if it links to itself. */
export async function readPage(
  calls: GraphCalls,
  to: string | URL,
  asked: Asked,
): Promise<GraphPage> {
  const { json } = await calls.call({ method: 'GET', to, ...asked });
  const { value, '@odata.nextLink': link } = json;
  if (!Array.isArray(value) || !value.every(isJsonObject)) {
    throw badAnswer(asked, 'the response is not a listing');
  }
  if (link === undefined || link === null) return { items: value, json, next: undefined };
  const next = typeof link === 'string' ? URL.parse(link) : null;
  if (next === null) throw badAnswer(asked, 'the response has no next page link');
  if (typeof to !== 'string' && next.href === to.href) throw leadsBack(asked);
  return { items: value, json, next };
}

/** All pages of a list. Rejects with `bad-answer` if they never end. */
export async function* listPages(
  calls: GraphCalls,
  from: string | URL,
  asked: Asked,
): AsyncGenerator<GraphPage> {
  const seen = new Set<string>();
  for (let to: string | URL | undefined = from; to !== undefined; ) {
    const page: GraphPage = await readPage(calls, to, asked);
    yield page;
    to = page.next;
    if (to === undefined) return;
    if (seen.has(to.href)) throw leadsBack(asked);
    seen.add(to.href);
  }
}

/** The items of all pages. */
export async function listAll<T extends object>(
  calls: GraphCalls,
  to: string,
  asked: Asked,
): Promise<readonly T[]> {
  const all: Json[] = [];
  for await (const { items } of listPages(calls, to, asked))
    for (const item of items) all.push(item);
  return all as readonly T[];
}

/** The error for a listing whose pages lead back to an earlier one. */
export const leadsBack = (asked: Asked) => badAnswer(asked, 'the listing pages form a loop');

/** How to log in where only rclone's application could. */
const WITHOUT_APPLICATION =
  'install rclone 1.70 or newer, which then opens it, or register your own application: see "syncer help backend onedrive"';

/** A client of the Graph API with the login of the options, and its settings. Throws `config`; makes no request. */
export function openClient({ name, options, context, transport, tokenPlace, shared }: OpenParams) {
  const settings = readSettings(name, options);
  const { graphUrl, isChina, login, remote } = settings;
  const { clientId, clientSecret, tokenUrl, token, scopes } = login;
  const application = { clientId, clientSecret, tokenUrl };
  const http = new HttpClient(transport, context.clock);
  const server = { http, userAgent: transport.userAgent, now: context.clock.now };
  const keeper = new TokenKeeper({
    text: token,
    place: tokenPlace,
    renew: async (old, signal) => {
      if (clientId === '') {
        const text = 'the login has expired and cannot be renewed without a client_id';
        throw new SyncerError('sign-in-needed', text);
      }
      return refreshToken(server, application, old, signal);
    },
    mint: login.byApplication
      ? (signal) => applicationToken(server, application, scopes, signal)
      : undefined,
    remote,
    howToLogIn: clientId === '' ? WITHOUT_APPLICATION : undefined,
    tries: Math.max(1, transport.lowLevelRetries),
    context,
  });
  const account = JSON.stringify(['drive', graphUrl.host, clientId, name]);
  const makeLimiter = () => new Limiter(name, context);
  const limiter = shared?.(account, makeLimiter) ?? makeLimiter();
  const client = new GraphClient({ http, keeper, limiter, graphUrl, isChina, transport, context });
  return { client, keeper, settings };
}
