import type { HttpAnswer } from './answer.ts';
import { requestHead } from './connection.ts';
import type { HttpRequest } from './http-request.ts';
import type { HttpTrace, TracedBody } from './network-options.ts';

/** How much of a body is kept, in bytes. */
const MOST_OF_BODY = 1024 ** 2;

/** Sends a request by `send` and reports it and its response to the trace. */
export async function sendTraced(
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
  const told = answerHead(answer);
  if (!trace.wantsAnswerBodies) trace.answer(id, told, undefined);
  else keepBody(answer, (kept) => trace.answer(id, told, kept));
  return answer;
}

/** Without the reason phrase. */
function answerHead({ status, headers }: HttpAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`;
}

function keepBody(answer: HttpAnswer, done: (body: TracedBody) => void): void {
  const chunks: Buffer[] = [];
  let kept = 0;
  let size = 0;
  const end = () => done({ start: Buffer.concat(chunks), size });
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
}
