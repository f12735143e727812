import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { SUBRESOURCES } from '../operations/operation-name.ts';
import { S3Error } from '../wire/s3-error.ts';
import type { Query } from '../wire/uri-encoding.ts';
import { openPresigned } from './presigned.ts';

/** The version 2 signature of a request and its parameters: not verified. */
export interface AuthorizationV2 {
  readonly accessKeyId: string;
  readonly signature: string;
  /** When a presigned URL expires, in milliseconds since the epoch. */
  readonly expires?: number;
}

/** The version 2 signature of a request; `undefined` if it has none. */
export function readAuthorizationV2(
  headers: IncomingHttpHeaders,
  query: Query,
): AuthorizationV2 | undefined {
  const signature = query.get('Signature');
  if (signature !== undefined) {
    const expires = query.get('Expires') ?? '';
    const message = 'Invalid date (should be seconds since epoch)';
    if (!/^\d{1,11}$/.test(expires)) throw new S3Error('AccessDenied', { message });
    const accessKeyId = query.get('AWSAccessKeyId') ?? '';
    return { accessKeyId, signature, expires: Number(expires) * 1000 };
  }
  const match = /^AWS ([^:]+):(\S+)$/.exec(headers.authorization ?? '');
  if (match === null) return undefined;
  const [, accessKeyId = '', given = ''] = match;
  return { accessKeyId, signature: given };
}

/**
 * The parts of a request that a version 2 signature covers, see "Signing and Authenticating REST Requests (Signature
 * Version 2)".
 */
interface SignedRequestV2 {
  readonly method: string;
  /** The path in the request line, after the bucket if the host named that. */
  readonly resource: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
}

/** Parameters that choose neither operation nor object, but that version 2 signs. */
const SIGNED_TOO = /^(?:partNumber|versionId|response-.*)$/;
/** Clients do not sign it. */
const UNSIGNED = 'list-type';

/** The signature of a request by version 2, in base64. */
export function signatureV2(secret: string, request: SignedRequestV2): string {
  const { headers } = openPresigned(request.query, request.headers);
  const text = (name: string) => String(headers[name] ?? '').trim();
  const date = request.query.get('Expires') ?? (headers['x-amz-date'] ? '' : text('date'));
  let amz = '';
  for (const name of Object.keys(headers).sort()) {
    if (name.startsWith('x-amz-')) amz += `${name}:${text(name)}\n`;
  }
  const signed = [...request.query]
    .filter(([name]) => name !== UNSIGNED && (SUBRESOURCES.has(name) || SIGNED_TOO.test(name)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`));
  const parameters = signed.length === 0 ? '' : `?${signed.join('&')}`;
  const start = `${request.method}\n${text('content-md5')}\n${text('content-type')}\n${date}\n`;
  return createHmac('sha1', secret)
    .update(`${start}${amz}${request.resource}${parameters}`)
    .digest('base64');
}
