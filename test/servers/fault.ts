import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationName } from '../../src/serve/s3/operations/index.ts';

/** A request as rules see it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** `unknown` where the request asks for nothing S3 has. */
  readonly operation: OperationName | 'unknown';
  readonly bucket: string;
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: IncomingHttpHeaders;
}

/** What goes wrong with a request. */
export type Fault =
  /** The server is not asked: an S3 error comes back. */
  | {
      readonly status: number;
      /** Code in the XML; made from the status where absent. */
      readonly code?: string;
      /** Value of `Retry-After`: seconds, or a date. */
      readonly retryAfter?: number | string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection is reset: before the server is asked, after it did its work, or in mid-answer. */
  | { readonly reset: 'before' | 'after' | 'in-body'; readonly afterBytes?: number }
  /** The answer announces its whole length; the connection is closed in good order after `afterBytes`. */
  | { readonly truncate: true; readonly afterBytes?: number }
  /** One byte of the answer's body is changed; `at` counts from its start. */
  | { readonly corrupt: true; readonly at?: number }
  /** One byte of the request's body is changed before the server sees it; `at` counts from its start. */
  | { readonly corruptUpload: true; readonly at?: number }
  /** Nothing ever comes: not the answer, or not the rest of its body. */
  | { readonly hang: 'before' | 'in-body'; readonly afterBytes?: number }
  /** All goes well, later. In milliseconds. */
  | { readonly latencyMs: number }
  /** All goes well, once this is settled. */
  | { readonly until: Promise<unknown> };

/**
 * Decides what goes wrong.
 * @param n how many requests of the same operation came before, from 0
 */
export type FaultRule = (request: SeenRequest, n: number) => Fault | undefined;

/** What a request waits for before all goes well; `undefined` if the fault is no delay. */
export function delayOf(fault: object | undefined): Promise<unknown> | undefined {
  if (fault === undefined) return undefined;
  if ('latencyMs' in fault) return sleep(Number(fault.latencyMs));
  return 'until' in fault ? Promise.resolve(fault.until) : undefined;
}

/** The first `count` requests of an operation fail in this way. */
export function failFirst(operation: OperationName, count: number, fault: Fault): FaultRule {
  return (request, n) => (request.operation === operation && n < count ? fault : undefined);
}

/** Each copy of a part is refused in this way: a store without them, without the right to read the source, and so on. */
export function partCopyRefused(status: 400 | 403 | 412 | 501 | 503, code?: string): FaultRule {
  const fault = { status, ...(code !== undefined && { code }) };
  return ({ operation }) => (operation === 'UploadPartCopy' ? fault : undefined);
}
