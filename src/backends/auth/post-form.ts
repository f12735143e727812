import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { readWhole } from '../http/answer.ts';
import { retryAfterMs } from '../http/answer-parser.ts';
import { StaleConnection } from '../http/connection-error.ts';
import { originOf } from '../http/http-request.ts';
import type { LoginAnswer, LoginServer } from './login-server.ts';

const LARGEST_ANSWER = 1024 ** 2;

/** Posts a form to an endpoint of OAuth 2.0. Resolves whatever the status; rejects where no answer comes. */
export async function postForm(
  { http, userAgent, now }: LoginServer,
  endpoint: URL,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<LoginAnswer> {
  const body = Buffer.from(new URLSearchParams(form).toString());
  const request = {
    method: 'POST',
    origin: originOf(endpoint),
    target: endpoint.pathname + endpoint.search,
    headers: {
      host: endpoint.host,
      'user-agent': userAgent,
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    },
    body,
    asksFirst: false,
  };
  for (;;) {
    try {
      const answer = await http.send(request, signal);
      const text = (await readWhole(answer, LARGEST_ANSWER)).toString('utf8');
      const wait = retryAfterMs(answer.headers['retry-after'], now());
      return { status: answer.status, fields: jsonFields(text), retryAfterMs: wait };
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof StaleConnection) continue;
      const error = toSyncerError(thrown);
      throw new SyncerError(error.code, `the login server: ${error.message}`, { cause: thrown });
    }
  }
}

/** A text among the fields; `''` where it is none. */
export function textField({ fields }: LoginAnswer, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function jsonFields(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
