import { goText } from '../../go/go-value.ts';
import type { Hook } from '../file/hook.ts';
import { redactor } from '../log/redact.ts';
import type { HookRequest } from '../parameter/hook-request.ts';
import { SHOWN_BODY, type ShownRequest } from './request-lines.ts';

/** A request without the values of secret headers and keys, and without the secrets of its hook. */
export function shownRequest(hook: Hook | undefined, request: HookRequest): ShownRequest {
  const redact = redactor(hook, request);
  const headers = [...request.headers].map(
    ([name, value]) => [name, redact(goText(value))] as const,
  );
  return {
    headers: headers.sort(([a], [b]) => (a < b ? -1 : 1)),
    body: redact(bodyText(request.body)),
    bodyBytes: request.body.length,
  };
}

function bodyText(body: Buffer): string {
  const cut = body.toString('utf8', 0, SHOWN_BODY);
  if (body.length > SHOWN_BODY) return cut;
  try {
    return JSON.stringify(JSON.parse(cut), null, 2);
  } catch {
    return cut;
  }
}
