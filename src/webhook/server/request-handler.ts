import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { GoFault, goSize } from '../../go/go-texts.ts';
import { type GoMap, NIL_MAP, TooManyValues } from '../../go/go-value.ts';
import { formatGoDuration } from '../../go/quantities.ts';
import type { FlagValues } from '../flag-table.ts';
import { type Hook, matchesIn, type Parameter } from '../hook.ts';
import { type HookAnswer, mayHaveBody, NO_BODY, textAnswer } from '../http/answer.ts';
import type { RequestHandler } from '../http/connection.ts';
import { BrokenBody, type RequestBody } from '../http/request-body.ts';
import type { HookLog } from '../log/hook-log.ts';
import { type Redact, type RequestLine, redactor, redactTarget, shownBody } from '../log/redact.ts';
import { type HookRequest, parseJsonParameters } from '../parameter/parameter-value.ts';
import {
  BodyFault,
  bodyKind,
  parseBody,
  parseQuery,
  unescapePercent,
} from '../payload/parse-body.ts';
import { readMultipart } from '../payload/read-multipart.ts';
import { SERVICE_SIGNATURES } from '../rule/check-signature.ts';
import type { HookRuns } from '../run/hook-runs.ts';
import {
  answerHook,
  dumpAnswer,
  dumpRequest,
  type HookContext,
  randomRequestId,
} from './answer-hook.ts';

export interface HookServices {
  readonly options: ServerOptions;
  readonly log: HookLog;
  readonly findHook: (id: string) => Hook | undefined;
  readonly runs: HookContext['runs'] & Pick<HookRuns, 'answered' | 'keepsRequests'>;
}

type ExchangeServices = HookServices & Pick<HookContext, 'regexes' | 'isFirstUse'>;

type Incoming = Parameters<RequestHandler>[0];

const PLAIN = ['Content-Type', 'text/plain; charset=utf-8'] as const;
const NO_SNIFFING = ['X-Content-Type-Options', 'nosniff'] as const;

/** A handler that answers requests with hooks, as webhook 2.8.0 does. */
export function requestHandler(services: HookServices): RequestHandler {
  const used = new WeakSet<Parameter>();
  const shared: ExchangeServices = {
    ...services,
    regexes: new WeakMap(),
    isFirstUse: (parameter) => {
      const first = !used.has(parameter);
      used.add(parameter);
      return first;
    },
  };
  const answer = async (incoming: Incoming) => {
    const { options } = services;
    const route = findRoute(incoming.head.target, options.urlPrefix);
    if (route.kind === 'root') return await new Exchange(shared, incoming).answer(undefined);
    if (route.kind === 'hook') return await new Exchange(shared, incoming).answer(route.id);
    if (route.kind === 'server') return withHeaders(textAnswer(200, ''), options);
    if (route.kind !== 'redirect') return withHeaders(NOT_FOUND, options);
    return withHeaders(textAnswer(301, '', [['Location', route.location]]), options);
  };
  return (incoming) =>
    answer(incoming).catch((thrown: unknown) => {
      services.log.line(`error answering the request: ${messageOf(thrown)}`);
      return withHeaders(INTERNAL_ERROR, services.options);
    });
}

/** An answer with the headers of the command line, which its own take the place of. */
function withHeaders(answer: HookAnswer, options: ServerOptions): HookAnswer {
  if (options.headers.length === 0) return answer;
  return { ...answer, headers: [...options.headers, ...answer.headers] };
}

const NOT_FOUND = textAnswer(404, '404 page not found\n', [PLAIN, NO_SNIFFING]);
const INTERNAL_ERROR = textAnswer(500, 'Internal Server Error\n', [PLAIN, NO_SNIFFING]);

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** One request that is logged. */
class Exchange {
  readonly #services: ExchangeServices;
  readonly #incoming: Incoming;
  readonly #log: HookLog;
  #ownId: string | undefined;
  readonly #start: bigint;
  #redactor: Redact | undefined;
  #hook: Hook | undefined;
  #body: Buffer | undefined;

  constructor(services: ExchangeServices, incoming: Incoming) {
    this.#services = services;
    this.#incoming = incoming;
    this.#log = services.log;
    this.#start = services.log.on ? process.hrtime.bigint() : 0n;
  }

  /** The request's id, made when it is shown first: what the client calls it, where that is wanted. */
  get #id(): string {
    if (this.#ownId !== undefined) return this.#ownId;
    const { useRequestId, requestIdLimit: limit } = this.#services.options;
    const header = useRequestId && this.#incoming.head.headers.get('X-Request-Id')?.[0];
    const isCut = header && limit > 0;
    const given = isCut ? nameFromBytes(nameToBytes(header).subarray(0, limit)) : header;
    this.#ownId = given || randomRequestId();
    return this.#ownId;
  }

  /** Hides secrets; before the body was read, those of the head. */
  get #redact(): Redact {
    this.#redactor ??= this.#makeRedactor({ payload: NIL_MAP, body: NO_BODY });
    return this.#redactor;
  }

  #makeRedactor(request: ReadPayload): Redact {
    const body = this.#body ?? request.body;
    const { headers } = this.#incoming.head;
    const whole = this.#request({ payload: request.payload, body });
    return redactor(this.#hook, whole, headers, this.#log.secrets);
  }

  /** @param id of the hook; `undefined` for the root */
  async answer(id: string | undefined): Promise<HookAnswer> {
    const { options, findHook, runs } = this.#services;
    const log = this.#log;
    const hook = id === undefined ? undefined : findHook(id);
    this.#hook = hook;
    let answer: HookAnswer;
    try {
      if (options.debug) this.#body = await readWhole(this.#incoming.body, options.maxBody);
      if (options.debug && hook === undefined) await this.#dumpEarly();
      answer = id === undefined ? textAnswer(200, 'OK') : await this.#answerHook(hook);
    } catch (thrown) {
      answer = this.#failed(thrown);
    }
    answer = withHeaders(answer, options);
    if (options.debug) log.raw(dumpAnswer(this.#id, answer, this.#redact));
    if (id !== undefined) runs.answered(hook?.id ?? '', answer.status);
    const { status, body, rest } = answer;
    const size = mayHaveBody(status) ? body.length : 0;
    if (rest !== undefined) return { ...answer, rest: this.#followed(status, size, rest) };
    if (log.on) this.#closingLine(status, size);
    return answer;
  }

  /** The request is logged or listed. */
  get #isShown(): boolean {
    return this.#services.log.on || this.#services.runs.keepsRequests;
  }

  /** The rest of an answer; logs the last line of the request after it. */
  async *#followed(
    status: number,
    begun: number,
    rest: AsyncIterable<Buffer>,
  ): AsyncGenerator<Buffer> {
    let size = begun;
    try {
      for await (const piece of rest) {
        size += piece.length;
        yield piece;
      }
    } finally {
      if (this.#log.on) this.#closingLine(status, size);
    }
  }

  async #answerHook(hook: Hook | undefined): Promise<HookAnswer> {
    const { options } = this.#services;
    const { head, remoteAddress } = this.#incoming;
    // Secrets are known only after the request was read; until then lines wait.
    const early: RequestLine[] = [
      () => `incoming HTTP ${head.method} request from ${remoteAddress}`,
    ];
    if (hook === undefined) {
      this.#lines(early);
      return textAnswer(404, 'Hook not found.');
    }
    const allowed = hook.methods.length > 0 ? hook.methods : options.methods;
    if (allowed.length > 0 && !allowed.includes(head.method)) {
      if (options.debug) await this.#dumpEarly();
      this.#lines(early);
      this.#line(`HTTP ${head.method} method not allowed for hook "${hook.id}"`);
      return textAnswer(405, '');
    }
    early.push(() => `${hook.id} got matched`);
    const log = (line: RequestLine) => void early.push(line);
    let read: ReadPayload;
    let fault: string | undefined;
    try {
      const type = head.headers.get('Content-Type')?.[0];
      read = await readPayload(hook, type, this.#body ?? this.#incoming.body, options, log);
    } catch (thrown) {
      if (!(thrown instanceof GoFault) || thrown instanceof TooManyValues) throw thrown;
      fault = thrown.message;
      read = { body: this.#body ?? NO_BODY, payload: NIL_MAP };
    }
    const request = this.#request(read);
    // Before the redactor, which looks at every level of what they hold.
    const failures = fault === undefined ? parseJsonParameters(hook.jsonParameters, request) : [];
    if (this.#isShown) this.#redactor = this.#makeRedactor(request);
    if (options.debug) this.#dumpRequest(request);
    this.#lines(early);
    if (fault !== undefined) {
      this.#line(`error parsing multipart form: ${this.#redact(fault)}\n\n`);
      return textAnswer(500, 'Error occurred while parsing multipart form.');
    }
    for (const failure of failures)
      this.#line(`error parsing JSON parameters: ${this.#redact(failure)}`);
    const { runs, regexes, isFirstUse } = this.#services;
    return await answerHook(hook, request, {
      runs,
      regexes,
      isFirstUse,
      logOn: this.#log.on,
      origin: { requestId: this.#isShown ? this.#id : '', target: this.#shownTarget },
      nameRuns: options.nameRuns,
      redact: (text, isCut) => this.#redact(text, isCut),
      log: (line) => this.#line(line),
      logBare: (line) => this.#log.line(line),
    });
  }

  #failed(thrown: unknown): HookAnswer {
    if (thrown instanceof BodyTooLarge || thrown instanceof TooManyValues) {
      this.#line(thrown.message);
      return textAnswer(413, 'Request Entity Too Large');
    }
    if (thrown instanceof BrokenBody) {
      this.#line(`error reading the request body: ${this.#redact(thrown.message)}`);
      return textAnswer(400, 'Bad Request');
    }
    this.#line(`error answering the request: ${this.#redact(messageOf(thrown))}`);
    return INTERNAL_ERROR;
  }

  #lines(lines: readonly RequestLine[]): void {
    if (this.#log.on) for (const line of lines) this.#line(line(this.#redact));
  }

  /** @param text has no secrets: a request cannot hide what is said of it */
  #line(text: string): void {
    const log = this.#log;
    if (log.on) log.line(`[${this.#id}] ${text}`);
  }

  #request({ payload, body }: ReadPayload): HookRequest {
    const { head, remoteAddress } = this.#incoming;
    const headers: GoMap = new Map();
    for (const [name, [value = '']] of head.headers) headers.set(name, value);
    const question = head.target.indexOf('?');
    const query = parseQuery(question < 0 ? '' : head.target.slice(question + 1)).values;
    return { method: head.method, remoteAddress, headers, query, payload, body };
  }

  /** Dumps a request that no hook reads, also without secrets. */
  async #dumpEarly(): Promise<void> {
    const { headers } = this.#incoming.head;
    const body = this.#body ?? NO_BODY;
    const type = this.#hook?.contentType || headers.get('Content-Type')?.[0] || '';
    const request = { payload: await payloadOf(type, body), body };
    this.#redactor = this.#makeRedactor(request);
    this.#dumpRequest(this.#request(request));
  }

  #dumpRequest(request: HookRequest): void {
    const { head } = this.#incoming;
    const shown = { ...head, target: this.#shownTarget };
    const body = shownBody(this.#hook, request, this.#redact);
    this.#log.raw(dumpRequest(this.#id, shown, body, this.#redact));
  }

  /** The target without secrets; empty if it is not shown. */
  get #shownTarget(): string {
    if (!this.#isShown) return '';
    return redactTarget(this.#incoming.head.target, this.#redact);
  }

  #closingLine(status: number, size: number): void {
    const { head } = this.#incoming;
    const took = formatGoDuration(process.hrtime.bigint() - this.#start);
    this.#log.line(
      `[${this.#id}] ${status} | ${goSize(size)} | ${took} | ${head.host} | ${head.method} ${this.#shownTarget}`,
    );
  }
}

type HookRoute =
  | { readonly kind: 'root' | 'not-found' | 'server' }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'hook'; readonly id: string };

/**
 * Finds where a request's target leads. A path that is not clean is redirected to the clean one, as Gorilla's router
 * does.
 *
 * @param prefix first part of the paths of hooks, without slashes around it; may be empty
 */
export function findRoute(target: string, prefix: string): HookRoute {
  if (target === '*') return { kind: 'server' };
  const relative = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const question = relative.indexOf('?');
  const rawPath = question < 0 ? relative : relative.slice(0, question);
  const path = unescapePercent(rawPath, false);
  const clean = cleanPath(path);
  if (clean !== path) {
    return {
      kind: 'redirect',
      location:
        nameToBytes(clean)
          .toString('latin1')
          .replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, (char) => {
            return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
          }) + (question < 0 ? '' : relative.slice(question)),
    };
  }
  if (path === '/') return { kind: 'root' };
  const start = prefix === '' ? '/' : `/${prefix}/`;
  return path.startsWith(start)
    ? { kind: 'hook', id: path.slice(start.length) }
    : { kind: 'not-found' };
}

function cleanPath(path: string): string {
  if (path.startsWith('/') && !/\/(?:\/|\.)/.test(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const clean = `/${parts.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}

/** Bytes of the fields of a form, besides those of `-max-multipart-mem`, as in Go. */
const FIELD_ROOM = 10 << 20;

/** A body and what was understood of it. */
interface ReadPayload {
  readonly body: Buffer;
  readonly payload: GoMap;
}

/** The body is longer than may be kept; the message says so. */
class BodyTooLarge extends Error {}

/**
 * Reads and parses the body of a request. A parse error is logged, and the payload is empty. Rejects with
 * `GoFault` for a broken multipart body, with `BodyTooLarge` and with `TooManyValues`.
 */
async function readPayload(
  hook: Hook,
  header: string | undefined,
  source: RequestBody | Buffer,
  options: ServerOptions,
  log: (line: RequestLine) => void,
): Promise<ReadPayload> {
  const contentType = hook.contentType || header || '';
  const kind = bodyKind(contentType);
  if (kind === 'multipart') {
    const isRead = needsBody(hook) || Buffer.isBuffer(source);
    const whole = isRead ? await readWhole(source, options.maxBody) : undefined;
    const once = async function* (bytes: Buffer) {
      yield bytes;
    };
    const chunks = whole === undefined ? source : once(whole);
    const payload = await readMultipart(header, chunks as AsyncIterable<Buffer>, {
      maxFieldBytes: FIELD_ROOM + options.maxMultipartMem,
      maxFileBytes: options.maxBody,
      isJson: (name) =>
        hook.jsonParameters.some((part) => part.source === 'payload' && part.name === name),
      log,
    });
    return { body: whole ?? NO_BODY, payload };
  }
  const body = await readWhole(source, options.maxBody);
  return { body, payload: await payloadOf(contentType, body, log) };
}

/** The payload of a body; empty if it cannot be parsed, after `log` took why. */
async function payloadOf(
  contentType: string,
  body: Buffer,
  log: (line: RequestLine) => void = () => {},
): Promise<GoMap> {
  const kind = bodyKind(contentType);
  if (kind === 'multipart') return NIL_MAP;
  if (kind === 'none') {
    const what = 'error parsing body payload due to unsupported content type header';
    log((redact) => `${what}: ${redact(contentType)}`);
    return NIL_MAP;
  }
  try {
    return await parseBody(kind, body);
  } catch (thrown) {
    if (!(thrown instanceof BodyFault)) throw thrown;
    const { kind: what, why } = thrown;
    log((redact) => `error parsing ${what} ${redact(why)}`);
    return NIL_MAP;
  }
}

/** Reads a body that is still to come. Rejects with `BodyTooLarge`. */
async function readWhole(source: RequestBody | Buffer, maxBytes: number): Promise<Buffer> {
  if (Buffer.isBuffer(source)) return source;
  if (source.done) return NO_BODY;
  const atHand = source.readAtHand(maxBytes);
  if (atHand !== undefined) return atHand;
  const body = await source.readAll(maxBytes);
  if (body !== undefined) return body;
  throw new BodyTooLarge(`the request body is longer than ${maxBytes} bytes`);
}

/** Whether a hook looks at the body as it came. */
function needsBody(hook: Hook): boolean {
  const parameters = [...hook.arguments, ...hook.environment, ...hook.files];
  const isBody = ({ source }: Parameter) => source === 'raw-request-body';
  return (
    parameters.some(isBody) ||
    matchesIn(hook.rule).some(
      ({ type, parameter }) =>
        type.startsWith('payload-') || SERVICE_SIGNATURES.has(type) || isBody(parameter),
    )
  );
}

/** What the command line says about the answering of requests. */
type ServerOptions = Readonly<ReturnType<typeof serverOptions>>;

/** Reads it from the flags. */
export function serverOptions(flags: FlagValues) {
  const methods = flags['http-methods'].replaceAll(' ', '').toUpperCase();
  return {
    urlPrefix: flags.urlprefix,
    /** Of every answer. */
    headers: flags.header.map((text): HookAnswer['headers'][number] => {
      const equals = text.indexOf('=');
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
    /** Without any: all. Commas alone allow nothing. */
    methods: methods === '' ? [] : methods.split(','),
    debug: flags.debug,
    /** Every answer of a hook names its run. */
    nameRuns: flags['run-header'],
    useRequestId: flags['x-request-id'],
    /** In bytes; 0: no limit. */
    requestIdLimit: flags['x-request-id-limit'],
    maxMultipartMem: flags['max-multipart-mem'],
    /** Bytes of a body that are kept in memory; a longer one is refused. */
    maxBody: flags['max-body'],
  };
}
