import { goText } from '../../go/go-value.ts';
import type { Hook } from '../hook.ts';
import type { HookRequest } from '../parameter/parameter-value.ts';
import { redactHeader, redactor, shownBody } from './redact.ts';

/** The most of a body that is shown, in bytes. */
export const SHOWN_BODY = 16 * 1024;

/** A request as people see it, without secrets. */
export type ShownRequest = Readonly<ReturnType<typeof shownRequest>>;

/** The headers and the body of a request, line by line. `undefined`: it was not kept. */
export function requestLines(request: ShownRequest | undefined): string[] {
  if (request === undefined) return ['The request was not kept: its body is larger than 256 KiB.'];
  const { headers, body, bodyBytes } = request;
  const shown =
    body === '' ? [] : ['', ...body.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')];
  const rest = bodyBytes > SHOWN_BODY ? [`… (${bodyBytes.toLocaleString('en-US')} bytes)`] : [];
  return [...headers.map(([name, value]) => `${name}: ${value}`), ...shown, ...rest];
}

/**
 * A request without the values of secret headers and keys, and without the secrets of its hook.
 *
 * @param secrets of the server
 */
export function shownRequest(
  hook: Hook | undefined,
  request: HookRequest,
  secrets: readonly string[],
) {
  const redact = redactor(hook, request, new Map(), secrets);
  const headers = [...request.headers].map(
    ([name, value]) => [name, redactHeader(name, goText(value), redact)] as const,
  );
  const body = shownBody(hook, request, redact);
  return {
    headers: headers.sort(([a], [b]) => (a < b ? -1 : 1)),
    /** JSON is indented; cut after `SHOWN_BODY`. */
    body: indented(redact(body.slice(0, SHOWN_BODY), body.length > SHOWN_BODY)),
    /** Of the whole body. */
    bodyBytes: request.body.length,
  };
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
