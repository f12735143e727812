import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, GraphCall } from './graph-call.ts';
import { failureBody } from './graph-failure.ts';
import type { GraphFault, GraphFaultRule, GraphOperation } from './graph-fault.ts';
import { GraphLog, type RecordedGraphRequest } from './graph-log.ts';
import { expiredTokenAnswer, type GraphRouter } from './graph-router.ts';
import { type GraphLying, lieChooser } from './lies/graph-lying.ts';

const CODES: Readonly<Record<number, string>> = {
  400: 'invalidRequest',
  401: 'InvalidAuthenticationToken',
  403: 'accessDenied',
  404: 'itemNotFound',
  409: 'nameAlreadyExists',
  412: 'resourceModified',
  423: 'resourceLocked',
  429: 'activityLimitReached',
  500: 'generalException',
  502: 'generalException',
  503: 'serviceNotAvailable',
  504: 'generalException',
  507: 'quotaLimitReached',
  509: 'activityLimitReached',
};

/** Writes down what comes and says what goes wrong with it. */
export class GraphFront {
  readonly log = new GraphLog();
  #rule: GraphFaultRule | undefined;
  #seen = new Map<GraphOperation, number>();
  #chooseLie = lieChooser(undefined);
  #told = 0;

  /** Changes what goes wrong; `undefined`: nothing. Numbers begin at 0 again. */
  setFaults(rule: GraphFaultRule | undefined): void {
    this.#rule = rule;
    this.#seen = new Map();
  }

  /** Tells a lie from the next request on; `undefined`: none. */
  setLie(lying: GraphLying | undefined): void {
    this.#chooseLie = lieChooser(lying);
    this.#told = 0;
  }

  /** How many lies were told. */
  get told(): number {
    return this.#told;
  }

  /** The lie that is told about a request; `undefined` where the truth is. */
  lieAbout(router: GraphRouter, call: GraphCall, where: 'graph' | 'content'): Answer | undefined {
    const { operation, answer: ask } = router.route(call, where);
    const lie = this.#chooseLie(operation);
    if (lie === undefined) return undefined;
    const { world } = router;
    const askFor = (changed: Partial<GraphCall>) =>
      router.route({ ...call, ...changed }, where).answer();
    const answer = lie.tell({ call, operation, world, ask, askFor });
    if (answer !== undefined) this.#told++;
    return answer;
  }

  /** Notes a request and finds its fault. */
  note(
    call: GraphCall,
    operation: GraphOperation,
    inBatch = false,
  ): { record: RecordedGraphRequest; fault: GraphFault | undefined } {
    const record = describe(call, operation, inBatch);
    this.log.requests.push(record);
    const n = this.#seen.get(operation) ?? 0;
    this.#seen.set(operation, n + 1);
    return { record, fault: this.#rule?.(record, n) };
  }
}

function describe(
  call: GraphCall,
  operation: GraphOperation,
  inBatch: boolean,
): RecordedGraphRequest {
  const { method, path, query, headers, origin, body } = call;
  const form = operation === 'token' ? new URLSearchParams(body.toString()) : undefined;
  return {
    method,
    host: new URL(origin).host,
    path,
    query: new URLSearchParams([...query].filter(([name]) => !/^(code|tempauth)$/.test(name))),
    operation,
    authorized: headers.authorization !== undefined,
    grantType: form?.get('grant_type') ?? undefined,
    scope: form?.get('scope') ?? undefined,
    range: headers.range,
    contentRange: headers['content-range'],
    userAgent: headers['user-agent'],
    length: lengthOf(headers),
    inBatch,
  };
}

function lengthOf(headers: IncomingHttpHeaders): number {
  return Number(headers['content-length'] ?? 0);
}

/** The answer for a fault for which the service is not asked; `undefined` where it is, or where nothing is answered. */
export function faultAnswer(fault: GraphFault | undefined): Answer | undefined {
  if (fault === undefined) return undefined;
  if ('unauthenticated' in fault) return expiredTokenAnswer();
  if (!('status' in fault)) return undefined;
  const { status } = fault;
  if ('html' in fault) {
    const page = Buffer.from(`<html><body><h1>${status}</h1></body></html>`);
    return { status, headers: { 'content-type': 'text/html' }, body: [page] };
  }
  const { code = CODES[status] ?? 'generalException', retryAfter, headers } = fault;
  return {
    status,
    headers: { ...(retryAfter !== undefined && { 'retry-after': `${retryAfter}` }), ...headers },
    json: failureBody(code, 'injected by the test'),
  };
}
