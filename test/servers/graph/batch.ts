import { type Answer, type GraphCall, isObject, type JsonObject, readJson } from './graph-call.ts';
import { GraphFailure, invalidRequest } from './graph-failure.ts';
import { faultAnswer, type GraphFront } from './graph-front.ts';
import { failureAnswer, type GraphRouter } from './graph-router.ts';

const MOST_REQUESTS = 20;

/** POST $batch: up to twenty requests in one, each with its own answer and its own faults. */
export function answerBatch(router: GraphRouter, front: GraphFront, call: GraphCall): Answer {
  try {
    router.login.tokens.check(call.headers.authorization);
    const { requests } = readJson(call);
    if (!Array.isArray(requests)) throw invalidRequest('The list of requests is missing.');
    if (requests.length > MOST_REQUESTS) {
      throw invalidRequest(`A batch has at most ${MOST_REQUESTS} requests.`);
    }
    const done = new Map<string, number>();
    const responses: JsonObject[] = [];
    for (const one of requests) {
      if (!isObject(one) || typeof one['id'] !== 'string' || done.has(one['id'])) {
        throw invalidRequest('A request of the batch has no id of its own.');
      }
      const answer = answerOne(router, front, call, one, done);
      done.set(one['id'], answer.status);
      responses.push(responseJson(one['id'], answer));
    }
    // The service promises no order.
    return { status: 200, json: { responses: responses.reverse() } };
  } catch (error) {
    if (error instanceof GraphFailure) return failureAnswer(error);
    throw error;
  }
}

function answerOne(
  router: GraphRouter,
  front: GraphFront,
  call: GraphCall,
  one: JsonObject,
  done: ReadonlyMap<string, number>,
): Answer {
  const { method, url, dependsOn = [] } = one;
  if (typeof method !== 'string' || typeof url !== 'string') {
    throw invalidRequest('A request of the batch has no method or no url.');
  }
  if (Array.isArray(dependsOn) && dependsOn.some((id) => (done.get(`${id}`) ?? 500) >= 400)) {
    return failureAnswer(
      new GraphFailure(424, 'failedDependency', 'A request that this one needs has failed.'),
    );
  }
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  const basePath = router.world.settings.basePath;
  const part: GraphCall = {
    ...call,
    method: method.toUpperCase(),
    path: `${basePath}/${path.replace(/^\//, '')}`,
    query: new URLSearchParams(query),
    headers: { ...headersOf(one), authorization: call.headers.authorization },
    body: bodyOf(one['body']),
  };
  const routed = router.route(part, 'graph');
  const { record, fault } = front.note(part, routed.operation, true);
  const answer = faultAnswer(fault) ?? front.lieAbout(router, part, 'graph') ?? routed.answer();
  record.status = answer.status;
  return answer;
}

function headersOf(one: JsonObject): Record<string, string> {
  const headers = isObject(one['headers']) ? one['headers'] : {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), `${value}`]),
  );
}

/** JSON as it is, anything else in base64. */
function bodyOf(body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body, 'base64');
  return body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
}

function responseJson(id: string, { status, headers = {}, json, body }: Answer): JsonObject {
  const shown = json ?? (body === undefined ? undefined : Buffer.concat(body).toString('base64'));
  return { id, status, headers, ...(shown !== undefined && { body: shown }) };
}
