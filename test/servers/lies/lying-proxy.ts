import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { OperationName } from '../../../src/serve/s3/operations/index.ts';
import { randomFrom } from '../../support/random-from.ts';
import { describeRequest } from '../fault-proxy.ts';
import { type RecordedRequest, RequestLog } from '../request-log.ts';
import type { ChangedRequest, Lie, LieCall, WholeAnswer } from './lie.ts';
import { S3_LIES } from './s3-lies.ts';

/** Which lie a proxy tells, and how often. */
export interface Lying {
  /** A name of `S3_LIES`, or a lie. */
  readonly lie: string | Lie;
  /** It is told about one in so many of the requests that it can be told about; 1 (all) where absent. */
  readonly every?: number;
  /** Chance decides which, by this seed; else each `every`th. */
  readonly seed?: number;
  /** Only about these requests. */
  readonly of?: readonly OperationName[];
}

/** A proxy before an S3 server that does not tell the truth. */
export interface LyingProxy {
  /** `http://127.0.0.1:port` */
  readonly endpoint: string;
  /** The requests that came. */
  readonly log: RequestLog;
  /** How many lies were told. */
  readonly told: () => number;
  /** Tells another lie from the next request on; `undefined`: none. */
  setLie(lying: Lying | undefined): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy before the server at `target`, which must take unsigned requests: some lies change what the client has
 * signed.
 */
export async function startLyingProxy(target: string, lying?: Lying): Promise<LyingProxy> {
  const agent = new Agent({ keepAlive: true });
  const { hostname: host, port } = new URL(target);
  const past = new Map<string, WholeAnswer>();
  const log = new RequestLog();
  let current = chooser(lying);
  let told = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const record: RecordedRequest = { ...describeRequest(request), bodyBytes: 0 };
    log.requests.push(record);
    const body = await buffer(request);
    record.bodyBytes = body.length;
    const ask = (changed?: ChangedRequest) =>
      askStore({ agent, host, port }, request, body, changed);
    const call: LieCall = { request: record, body, ask, past };
    const lie = current(record.operation as OperationName);
    const lied = lie === undefined ? undefined : await lie.tell(call);
    if (lied !== undefined) told++;
    const given = lied ?? (await ask());
    if (lied === undefined) past.set(`${record.method} ${record.url}`, given);
    send(response, given, record.method === 'HEAD');
  };

  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    response.on('error', () => {});
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log,
    told: () => told,
    setLie(next) {
      current = chooser(next);
      told = 0;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

/** Decides about one request after the other whether the lie is told. */
function chooser(lying: Lying | undefined): (operation: OperationName) => Lie | undefined {
  if (lying === undefined) return () => undefined;
  const { every = 1, seed, of } = lying;
  const lie = typeof lying.lie === 'string' ? S3_LIES[lying.lie] : lying.lie;
  if (lie === undefined) throw new Error(`no lie is called ${lying.lie}`);
  const random = seed === undefined ? undefined : randomFrom(seed);
  let n = 0;
  return (operation) => {
    if (!lie.of.includes(operation) || of?.includes(operation) === false) return undefined;
    const isChosen = random === undefined ? ++n % every === 0 : random(every) === 0;
    return isChosen ? lie : undefined;
  };
}

function askStore(
  to: { readonly agent: Agent; readonly host: string; readonly port: string },
  request: IncomingMessage,
  body: Buffer,
  changed: ChangedRequest = {},
): Promise<WholeAnswer> {
  const sent = changed.body ?? body;
  const headers = Object.entries({ ...request.headers, ...changed.headers }).filter(
    ([name, value]) => value !== undefined && name !== 'expect',
  );
  const hasLength = 'content-length' in request.headers || changed.body !== undefined;
  const length = hasLength ? { 'content-length': String(sent.length) } : {};
  return new Promise((resolve, reject) => {
    const asked = httpRequest({
      ...to,
      method: changed.method ?? request.method,
      path: changed.url ?? request.url,
      headers: { ...Object.fromEntries(headers), ...length },
    });
    asked.on('error', reject);
    asked.on('response', async (answer) => {
      const pairs = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
      const body = await buffer(answer);
      const status = answer.statusCode ?? 502;
      resolve({ status, headers: Object.fromEntries(pairs), body });
    });
    asked.end(sent);
  });
}

const HOP_HEADERS: readonly string[] = ['connection', 'keep-alive', 'transfer-encoding'];

function send(response: ServerResponse, answer: WholeAnswer, isHead: boolean): void {
  const { status, body, cutAfter } = answer;
  const headers = Object.entries(answer.headers).filter(([name]) => !HOP_HEADERS.includes(name));
  const kept = Object.fromEntries(headers);
  if (cutAfter !== undefined) {
    const { 'content-length': _length, ...inChunks } = kept;
    response.writeHead(status, inChunks);
    response.write(body.subarray(0, cutAfter), () => response.destroy());
    return;
  }
  const hasNoBody = status === 204 || status === 304;
  if (!isHead && !hasNoBody) kept['content-length'] = String(body.length);
  if (hasNoBody) delete kept['content-length'];
  response.writeHead(status, kept);
  response.end(isHead || hasNoBody ? undefined : body);
}
