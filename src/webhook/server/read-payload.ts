import { type GoMap, NIL_MAP } from '../../go/go-value.ts';
import type { Hook, Rule } from '../file/hook.ts';
import { NO_BODY } from '../http/answer.ts';
import type { RequestBody } from '../http/request-body.ts';
import type { RequestLine } from '../log/redact.ts';
import { BodyFault, bodyKind, parseBody } from '../payload/parse-body.ts';
import { readMultipart } from '../payload/read-multipart.ts';
import type { ServerOptions } from './server-options.ts';

/** Bytes of the fields of a form, besides those of `-max-multipart-mem`, as in Go. */
const FIELD_ROOM = 10 << 20;

/** A body and what was understood of it. */
export interface ReadPayload {
  readonly body: Buffer;
  readonly payload: GoMap;
}

/** The body is longer than may be kept; the message says so. */
export class BodyTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the request body is longer than ${maxBytes} bytes`);
  }
}

/**
 * Reads and parses the body of a request. A parse error is logged, and the payload is empty. Rejects with
 * `GoFault` for a broken multipart body, with `BodyTooLarge` and with `TooManyValues`.
 */
export async function readPayload(
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
  if (kind === 'none') {
    const what = 'error parsing body payload due to unsupported content type header';
    log((redact) => `${what}: ${redact(contentType)}`);
    return { body, payload: NIL_MAP };
  }
  try {
    return { body, payload: await parseBody(kind, body) };
  } catch (thrown) {
    if (!(thrown instanceof BodyFault)) throw thrown;
    const { kind: what, why } = thrown;
    log((redact) => `error parsing ${what} ${redact(why)}`);
    return { body, payload: NIL_MAP };
  }
}

/** The payload of a body that no hook reads, to find secrets in it. */
export async function guessPayload(contentType: string, body: Buffer): Promise<GoMap> {
  const kind = bodyKind(contentType);
  if (kind === 'none' || kind === 'multipart') return NIL_MAP;
  try {
    return await parseBody(kind, body);
  } catch (thrown) {
    if (thrown instanceof BodyFault) return NIL_MAP;
    throw thrown;
  }
}

/** Reads a body that is still to come. Rejects with `BodyTooLarge`. */
export async function readWhole(source: RequestBody | Buffer, maxBytes: number): Promise<Buffer> {
  if (Buffer.isBuffer(source)) return source;
  if (source.done) return NO_BODY;
  const atHand = source.readAtHand(maxBytes);
  if (atHand !== undefined) return atHand;
  const body = await source.readAll(maxBytes);
  if (body === undefined) throw new BodyTooLarge(maxBytes);
  return body;
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Whether a hook looks at the body as it came. */
function needsBody(hook: Hook): boolean {
  const parameters = [...hook.arguments, ...hook.environment, ...hook.files];
  return parameters.some(({ source }) => source === 'raw-request-body') || ruleNeedsBody(hook.rule);
}

function ruleNeedsBody(rule: Rule | undefined): boolean {
  if (rule === undefined) return false;
  const { and = [], or = [], not, match } = rule;
  const own =
    match !== undefined &&
    (/^payload-|^scalr/.test(match.type) || match.parameter.source === 'raw-request-body');
  return own || [...and, ...or, ...(not ? [not] : [])].some(ruleNeedsBody);
}
