import type { IncomingHttpHeaders } from 'node:http';
import type { Query } from '../wire/uri-encoding.ts';
import { headerValue } from '../wire/uri-encoding.ts';

/** A request without its presigning: headers and parameters as if they had been sent directly. */
export interface PlainRequest {
  readonly headers: IncomingHttpHeaders;
  readonly query: Query;
}

const SIGNING =
  /^(?:AWSAccessKeyId|Signature|Expires|X-Amz-(?:Algorithm|Content-Sha256|Credential|Date|Expires|Security-Token|Signature|SignedHeaders))$/i;
const HOISTED = /^(?:x-amz-[\w!#$%&'*+.^`|~-]+|content-type|content-md5)$/;
/** SDKs sign the checksum of an empty body into URLs for any body: Amazon ignores it. */
const NOT_MEANT = /^x-amz-(?:checksum-(?!algorithm|mode|type).*|sdk-checksum-algorithm)$/;

/**
 * Splits a presigned URL: signing parameters are removed, and headers written as parameters count as headers, before
 * any header of the same name, which need not be signed. Other requests are unchanged. Throws `InvalidArgument` for a
 * value that no header can have: with a line break in it, version 2 signs one header as if it were two.
 */
export function openPresigned(query: Query, headers: IncomingHttpHeaders): PlainRequest {
  if (!query.has('X-Amz-Signature') && !query.has('Signature')) return { headers, query };
  const hoisted: Record<string, string> = {};
  const rest = new Map<string, string>();
  for (const [name, value] of query) {
    const lower = name.toLowerCase();
    if (SIGNING.test(name) || NOT_MEANT.test(lower)) continue;
    if (HOISTED.test(lower)) hoisted[lower] = headerValue(value);
    else rest.set(name, value);
  }
  return { headers: { ...headers, ...hoisted }, query: rest };
}
