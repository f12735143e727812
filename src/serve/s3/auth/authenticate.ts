import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  canonicalRequest,
  chunkSigner,
  credentialScope,
  requestSignature,
  signingKey,
} from '../../../backends/s3-protocol/signature-v4.ts';
import { canonicalQuery, encodeUriPath } from '../../../backends/s3-protocol/uri-encoding.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { Identity } from '../body/payload.ts';
import { SUBRESOURCES } from '../operations/index.ts';
import { S3Error } from '../wire/s3-error.ts';
import { headerValue, type Query, queryFromPairs, uriDecode } from '../wire/uri-encoding.ts';

/** A pair of keys with access to the server. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The parts of a request that a signature covers. */
export interface RequestToAuthenticate {
  readonly method: string;
  readonly rawPath: string;
  /** The bucket, if the host names it. */
  readonly virtualBucket?: string | undefined;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: IncomingHttpHeaders;
}

/** Verifies the sender of a request; throws an `S3Error` to refuse it. */
export type Authenticate = (request: RequestToAuthenticate) => Identity;

/** Creates the check for a server with these keys; without any, every request passes. `region`: of the signatures. */
export function createAuthenticator(
  keys: readonly AccessKey[],
  region: string,
  now: () => number,
): Authenticate {
  const secrets = new Map(keys.map((key) => [key.accessKeyId, key.secretAccessKey]));
  const derived = new Map<string, KeyObject>();

  const secretOf = (accessKeyId: string) => {
    const secret = secrets.get(accessKeyId);
    if (secret === undefined) throw new S3Error('InvalidAccessKeyId');
    return secret;
  };

  return (request) => {
    if (secrets.size === 0) return anyone(request.headers);
    const query = queryFromPairs(request.query);
    const claim = readAuthorization(request.headers, query);
    if (claim === undefined) {
      const old = readAuthorizationV2(request.headers, query);
      if (old === undefined) throw new S3Error('AccessDenied');
      const date = headerText(request.headers, 'x-amz-date') || headerText(request.headers, 'date');
      checkTime(old.expires === undefined ? Date.parse(date) : 0, old.expires, now());
      const secret = secretOf(old.accessKeyId);
      const { rawPath, virtualBucket } = request;
      const path = virtualBucket === undefined ? rawPath : `/${virtualBucket}${rawPath}`;
      // Some clients sign the path of a bucket with a slash at the end and send it without.
      const resources = /^\/[^/]+$/.test(path) ? [path, `${path}/`] : [path];
      const isSigned = resources.some((resource) =>
        sameText(signatureV2(secret, { ...request, resource, query }), old.signature),
      );
      if (!isSigned) throw new S3Error('SignatureDoesNotMatch');
      return { ...anyone(request.headers), accessKeyId: old.accessKeyId };
    }
    const secret = secretOf(claim.accessKeyId);
    if (claim.region !== region) {
      throw new S3Error('AuthorizationHeaderMalformed', {
        message: `The authorization header is malformed; the region '${claim.region}' is wrong; expecting '${region}'`,
        elements: { Region: region },
      });
    }
    const { date, expiresSeconds } = claim;
    const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
    const [, year, month, day, hour, minute, second] = date.startsWith(claim.day) ? parts : [];
    const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    checkTime(time, expiresSeconds === undefined ? undefined : time + expiresSeconds * 1000, now());
    checkSignedHeaders(claim, request.headers);
    const id = `${claim.day} ${claim.accessKeyId}`;
    let key = derived.get(id);
    if (key === undefined) {
      if (derived.size > 100) derived.clear();
      key = signingKey(secret, claim.day, region);
      derived.set(id, key);
    }
    const scope = credentialScope(claim.day, region);
    const canonical = canonicalRequest({
      method: request.method,
      path: encodeUriPath(uriDecode(request.rawPath)),
      query: canonicalQuery(request.query.filter(([name]) => name !== 'X-Amz-Signature')),
      names: claim.signedHeaders,
      headers: Object.fromEntries(
        claim.signedHeaders.map((name) => [name, headerText(request.headers, name)]),
      ),
      payload: claim.payload,
    });
    const wanted = requestSignature(key, claim.date, scope, Buffer.from(canonical, 'latin1'));
    if (!sameText(wanted, claim.signature)) throw new S3Error('SignatureDoesNotMatch');
    return {
      accessKeyId: claim.accessKeyId,
      payload: claim.payload,
      signer: chunkSigner(key, claim.date, scope, wanted),
    };
  };
}

function anyone(headers: IncomingHttpHeaders): Identity {
  const payload = headers['x-amz-content-sha256'];
  return { payload: typeof payload === 'string' ? payload : 'UNSIGNED-PAYLOAD' };
}

/** The host and every `x-amz-` header must be signed, or a man in the middle could change them. */
function checkSignedHeaders(
  claim: NonNullable<ReturnType<typeof readAuthorization>>,
  headers: IncomingHttpHeaders,
): void {
  if (!claim.signedHeaders.includes('host')) {
    throw new S3Error('AccessDenied', 'The host header must be signed.');
  }
  for (const name in headers) {
    if (!name.startsWith('x-amz-') || claim.signedHeaders.includes(name)) continue;
    if (claim.expiresSeconds !== undefined && name === 'x-amz-content-sha256') continue;
    throw new S3Error('AccessDenied', {
      message: 'There were headers present in the request which were not signed',
      elements: { HeadersNotSigned: name },
    });
  }
}

function sameText(wanted: string, given: string): boolean {
  const a = Buffer.from(wanted);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** How far the clocks of client and server may differ, in milliseconds. */
const MAX_SKEW_MS = 15 * 60_000;

/** Throws where a signature or URL is too old, or from a clock that is wrong. Times in milliseconds since the epoch. */
function checkTime(time: number, expires: number | undefined, now: number): void {
  const denied = (message: string) => new S3Error('AccessDenied', message);
  if (Number.isNaN(time)) throw denied('The date of the signature is not valid.');
  if (expires === undefined) {
    if (Math.abs(now - time) > MAX_SKEW_MS) throw new S3Error('RequestTimeTooSkewed');
    return;
  }
  if (now > expires) throw denied('Request has expired');
  if (time > now + MAX_SKEW_MS) throw denied('Request is not valid yet');
}

/** A header as it is signed: repeated ones with commas between them; empty if it is missing. */
function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : (value ?? '');
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The signature in the `Authorization` header or URL; `undefined` if none is of version 4. Throws if it is malformed. */
function readAuthorization(headers: IncomingHttpHeaders, query: Query) {
  const hash = headers['x-amz-content-sha256'];
  if (query.has('X-Amz-Signature')) {
    if (query.get('X-Amz-Algorithm') !== ALGORITHM) {
      throw new S3Error('AuthorizationQueryParametersError');
    }
    const expiresSeconds = Number(query.get('X-Amz-Expires') || Number.NaN);
    if (!(expiresSeconds >= 0 && expiresSeconds <= 604_800)) {
      throw new S3Error('AuthorizationQueryParametersError', { status: 403 });
    }
    const signer = [query.get('X-Amz-Credential'), query.get('X-Amz-SignedHeaders')] as const;
    return {
      ...parts(...signer, 'AuthorizationQueryParametersError'),
      signature: query.get('X-Amz-Signature') ?? '',
      /** `YYYYMMDDThhmmssZ`. */
      date: query.get('X-Amz-Date') ?? '',
      payload:
        query.get('X-Amz-Content-Sha256') ?? (typeof hash === 'string' ? hash : 'UNSIGNED-PAYLOAD'),
      /** How long a presigned URL is valid from `date`; absent for a signature in the headers. */
      expiresSeconds,
    };
  }
  const header = headers.authorization;
  if (header === undefined || header.startsWith('AWS ')) return undefined;
  if (!header.startsWith(`${ALGORITHM} `)) {
    const text = `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM}.`;
    throw new S3Error('InvalidRequest', text);
  }
  const fields = new Map<string, string>();
  for (const field of header.slice(ALGORITHM.length + 1).split(',')) {
    const equals = field.indexOf('=');
    if (equals > 0) fields.set(field.slice(0, equals).trim(), field.slice(equals + 1).trim());
  }
  if (typeof hash !== 'string') {
    const text = 'Missing required header for this request: x-amz-content-sha256';
    throw new S3Error('InvalidRequest', text);
  }
  const signer = [fields.get('Credential'), fields.get('SignedHeaders')] as const;
  const signed = parts(...signer, 'AuthorizationHeaderMalformed');
  const signature = fields.get('Signature') ?? '';
  let date = headers['x-amz-date'];
  if (typeof date !== 'string') {
    const ms = Date.parse(headers.date ?? '');
    if (Number.isNaN(ms)) throw new S3Error('AccessDenied', 'The request has no date.');
    date = new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
  }
  return { ...signed, signature, date, payload: hash, expiresSeconds: undefined };
}

function parts(
  credential: string | undefined,
  signedHeaders: string | undefined,
  code: 'AuthorizationHeaderMalformed' | 'AuthorizationQueryParametersError',
) {
  const fields = credential?.split('/') ?? [];
  const [day = '', region = '', service, end] = fields.slice(-4);
  const accessKeyId = fields.slice(0, -4).join('/');
  if (accessKeyId === '' || !/^\d{8}$/.test(day) || service !== 's3' || end !== 'aws4_request') {
    throw new S3Error(code);
  }
  if (signedHeaders === undefined || signedHeaders === '') throw new S3Error(code);
  return { accessKeyId, day, region, signedHeaders: signedHeaders.split(';') };
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
export function openPresigned(query: Query, headers: IncomingHttpHeaders) {
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

/** The version 2 signature of a request, not verified; `undefined` if it has none. */
function readAuthorizationV2(headers: IncomingHttpHeaders, query: Query) {
  const signature = query.get('Signature');
  if (signature !== undefined) {
    const expires = query.get('Expires') ?? '';
    const message = 'Invalid date (should be seconds since epoch)';
    if (!/^\d{1,11}$/.test(expires)) throw new S3Error('AccessDenied', message);
    const accessKeyId = query.get('AWSAccessKeyId') ?? '';
    return { accessKeyId, signature, expires: Number(expires) * 1000 };
  }
  const match = /^AWS ([^:]+):(\S+)$/.exec(headers.authorization ?? '');
  if (match === null) return undefined;
  const [, accessKeyId = '', given = ''] = match;
  return { accessKeyId, signature: given, expires: undefined };
}

/** Parameters that choose neither operation nor object, but that version 2 signs. */
const SIGNED_TOO = /^(?:partNumber|versionId|response-.*)$/;

/** The signature by version 2, in base64. `resource`: the path in the request line, behind the bucket of the host. */
export function signatureV2(
  secret: string,
  request: { method: string; resource: string; query: Query; headers: IncomingHttpHeaders },
): string {
  const { headers } = openPresigned(request.query, request.headers);
  const text = (name: string) => String(headers[name] ?? '').trim();
  const date = request.query.get('Expires') ?? (headers['x-amz-date'] ? '' : text('date'));
  let amz = '';
  for (const name of Object.keys(headers).sort()) {
    if (name.startsWith('x-amz-')) amz += `${name}:${text(name)}\n`;
  }
  const signed = [...request.query]
    // Clients do not sign `list-type`.
    .filter(([name]) => name !== 'list-type' && (SUBRESOURCES.has(name) || SIGNED_TOO.test(name)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`));
  const parameters = signed.length === 0 ? '' : `?${signed.join('&')}`;
  const start = `${request.method}\n${text('content-md5')}\n${text('content-type')}\n${date}\n`;
  return createHmac('sha1', secret)
    .update(`${start}${amz}${request.resource}${parameters}`)
    .digest('base64');
}

/** Reads `--auth-key`: an access key ID and its secret, separated by a comma. Throws `usage`, without the secret. */
export function parseAccessKey(text: string): AccessKey {
  const comma = text.indexOf(',');
  const accessKeyId = text.slice(0, comma).trim();
  const secretAccessKey = text.slice(comma + 1).trim();
  if (comma <= 0 || accessKeyId === '' || secretAccessKey === '') {
    throw new SyncerError('usage', '--auth-key needs an access key ID and a secret: ID,SECRET');
  }
  return { accessKeyId, secretAccessKey };
}
