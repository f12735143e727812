import {
  Agent,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { openListeners, type Serve } from '../../src/serve/listen/open-listeners.ts';
import { openPresigned } from '../../src/serve/s3/auth/authenticate.ts';
import { readAddress } from '../../src/serve/s3/handle-request.ts';
import { operationName, type RequestShape } from '../../src/serve/s3/operations/index.ts';
import { delayOf, type Fault, type FaultRule, type SeenRequest } from './fault.ts';
import { type RecordedRequest, RequestLog } from './request-log.ts';
import { corruptBody, sendDamaged } from './send-damaged.ts';

/** A proxy before an S3 server that lets requests fail as its rule says. */
export interface FaultProxy {
  /** `http://127.0.0.1:port` */
  readonly endpoint: string;
  readonly log: RequestLog;
  /** Changes what goes wrong from the next request on; `undefined`: nothing. Numbers begin at 0 again. */
  setFaults(rule: FaultRule | undefined): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy before the server at `upstream`. The host header stays as the client signed it.
 *
 * @param near what responds at `upstream`, in this process: requests with which nothing goes wrong are given to it, at
 *   half of the cost
 */
export async function startFaultProxy(
  upstream: string,
  rule?: FaultRule,
  near?: Serve,
): Promise<FaultProxy> {
  const target = new URL(upstream);
  const agent = new Agent({ keepAlive: true });
  const log = new RequestLog();
  let current = rule;
  let seen = new Map<string, number>();

  const take: Serve = async (request, response, waits) => {
    request.on('error', () => {});
    response.on('error', () => {});
    const record: RecordedRequest = { ...describeRequest(request), bodyBytes: 0 };
    log.requests.push(record);
    countBody(request, record);
    const n = seen.get(record.operation) ?? 0;
    seen.set(record.operation, n + 1);
    const fault = current?.(record, n);
    const delay = delayOf(fault);
    await delay;
    const wrong = delay === undefined ? fault : undefined;
    if (wrong !== undefined && instead(request, response, record, wrong)) return;
    if (wrong !== undefined || near === undefined) {
      pass(request, response, record, wrong, waits);
      return;
    }
    await near(request, response, waits);
    record.status = response.statusCode;
  };

  const pass = (
    request: IncomingMessage,
    response: ServerResponse,
    record: RecordedRequest,
    fault: Fault | undefined,
    waits: boolean,
  ) => {
    const forward = httpRequest({
      agent,
      host: target.hostname,
      port: target.port,
      method: request.method,
      path: request.url,
      headers: request.headers,
    });
    forward.on('continue', () => waits && response.writeContinue());
    forward.on('response', (answer) => {
      record.status = answer.statusCode ?? 0;
      sendDamaged(answer, response, fault);
    });
    forward.on('error', () => response.destroy());
    response.on('close', () => {
      if (!response.writableFinished) forward.destroy();
    });
    if (fault !== undefined && 'corruptUpload' in fault)
      corruptBody(request, forward, fault.at ?? 0);
    else request.pipe(forward);
  };

  const listeners = await openListeners({ addresses: [{ host: '127.0.0.1', port: 0 }] }, take);
  return {
    endpoint: listeners.urls.join(),
    log,
    setFaults(next) {
      current = next;
      seen = new Map();
    },
    async close() {
      const closed = listeners.close(0);
      agent.destroy();
      await closed;
    },
  };
}

/** Counts what comes of a body, whoever reads it. */
function countBody(request: IncomingMessage, record: RecordedRequest): void {
  const push = request.push.bind(request);
  request.push = (piece, encoding) => {
    record.bodyBytes += piece?.length ?? 0;
    return push(piece, encoding);
  };
}

/** A request as rules see it. */
export function describeRequest(request: IncomingMessage): SeenRequest {
  const { method = 'GET', url = '/', headers } = request;
  const { bucketName, key, query } = readAddress(url, headers.host);
  const operation = operationOf({ method, bucketName, key, query, headers });
  return { method, url, operation, bucket: bucketName, key, query, headers };
}

function operationOf(request: RequestShape): SeenRequest['operation'] {
  try {
    return operationName({ ...request, ...openPresigned(request.query, request.headers) });
  } catch {
    return 'unknown';
  }
}

const CODES: Readonly<Record<number, string>> = {
  400: 'InvalidRequest',
  401: 'Unauthorized',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  408: 'RequestTimeout',
  412: 'PreconditionFailed',
  429: 'TooManyRequests',
  500: 'InternalError',
  501: 'NotImplemented',
  502: 'BadGateway',
  503: 'SlowDown',
  504: 'GatewayTimeout',
};

/** Faults for which the server is not asked. */
function instead(
  request: IncomingMessage,
  response: ServerResponse,
  record: RecordedRequest,
  fault: Fault,
): boolean {
  if ('status' in fault) {
    const code = fault.code ?? CODES[fault.status] ?? 'InternalError';
    const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>injected by the test</Message></Error>`;
    record.status = fault.status;
    request.resume();
    response.writeHead(fault.status, {
      'content-type': 'application/xml',
      'content-length': body.length,
      ...(fault.retryAfter !== undefined && { 'retry-after': String(fault.retryAfter) }),
      ...fault.headers,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  }
  if ('reset' in fault && fault.reset === 'before') {
    request.socket.resetAndDestroy();
    return true;
  }
  if ('hang' in fault && fault.hang === 'before') {
    request.resume();
    return true;
  }
  return false;
}
