/** The most of a body that is shown, in bytes. */
export const SHOWN_BODY = 16 * 1024;

/** A request as people see it, without secrets. */
export interface ShownRequest {
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON is indented; cut after `SHOWN_BODY`. */
  readonly body: string;
  /** Of the whole body. */
  readonly bodyBytes: number;
}

/** The headers and the body of a request, line by line. `undefined`: it was not kept. */
export function requestLines(request: ShownRequest | undefined): string[] {
  if (request === undefined) return ['The request was not kept: its body is larger than 256 KiB.'];
  const { headers, body, bodyBytes } = request;
  const shown =
    body === '' ? [] : ['', ...body.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')];
  const rest = bodyBytes > SHOWN_BODY ? [`… (${bodyBytes.toLocaleString('en-US')} bytes)`] : [];
  return [...headers.map(([name, value]) => `${name}: ${value}`), ...shown, ...rest];
}
