import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from '../wire/s3-error.ts';
import type { Query } from '../wire/uri-encoding.ts';

/** The signature of a request and its parameters: parsed, not verified. */
export interface Authorization {
  readonly accessKeyId: string;
  /** `YYYYMMDD`, from the credential. */
  readonly day: string;
  readonly region: string;
  /** Names of the signed headers, lower case, in their order. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `YYYYMMDDThhmmssZ`. */
  readonly date: string;
  /** Value of `x-amz-content-sha256`; `UNSIGNED-PAYLOAD` by default in a presigned URL. */
  readonly payload: string;
  /** How long a presigned URL is valid, in seconds from `date`; absent for a signature in the headers. */
  readonly expiresSeconds?: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * The signature of a request, from its `Authorization` header or its presigned URL; `undefined` if it has none of
 * version 4. Throws if there is one that cannot be read.
 */
export function readAuthorization(
  headers: IncomingHttpHeaders,
  query: Query,
): Authorization | undefined {
  if (query.has('X-Amz-Signature')) return fromQuery(headers, query);
  const header = headers.authorization;
  if (header === undefined || header.startsWith('AWS ')) return undefined;
  return fromHeader(headers, header);
}

const onlyV4 = `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM}.`;

function fromHeader(headers: IncomingHttpHeaders, header: string): Authorization {
  if (!header.startsWith(`${ALGORITHM} `)) throw new S3Error('InvalidRequest', { message: onlyV4 });
  const fields = new Map<string, string>();
  for (const field of header.slice(ALGORITHM.length + 1).split(',')) {
    const equals = field.indexOf('=');
    if (equals > 0) fields.set(field.slice(0, equals).trim(), field.slice(equals + 1).trim());
  }
  const payload = headers['x-amz-content-sha256'];
  if (typeof payload !== 'string') {
    throw new S3Error('InvalidRequest', {
      message: 'Missing required header for this request: x-amz-content-sha256',
    });
  }
  return {
    ...parts(fields.get('Credential'), fields.get('SignedHeaders'), 'AuthorizationHeaderMalformed'),
    signature: fields.get('Signature') ?? '',
    date: requestDate(headers),
    payload,
  };
}

function requestDate(headers: IncomingHttpHeaders): string {
  const date = headers['x-amz-date'];
  if (typeof date === 'string') return date;
  const ms = Date.parse(headers.date ?? '');
  if (Number.isNaN(ms)) throw new S3Error('AccessDenied', { message: 'The request has no date.' });
  return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
}

function fromQuery(headers: IncomingHttpHeaders, query: Query): Authorization {
  if (query.get('X-Amz-Algorithm') !== ALGORITHM) {
    throw new S3Error('AuthorizationQueryParametersError');
  }
  const expires = Number(query.get('X-Amz-Expires') || Number.NaN);
  if (!(expires >= 0 && expires <= 604_800)) {
    throw new S3Error('AuthorizationQueryParametersError', { status: 403 });
  }
  const header = headers['x-amz-content-sha256'];
  return {
    ...parts(
      query.get('X-Amz-Credential'),
      query.get('X-Amz-SignedHeaders'),
      'AuthorizationQueryParametersError',
    ),
    signature: query.get('X-Amz-Signature') ?? '',
    date: query.get('X-Amz-Date') ?? '',
    payload:
      query.get('X-Amz-Content-Sha256') ??
      (typeof header === 'string' ? header : 'UNSIGNED-PAYLOAD'),
    expiresSeconds: expires,
  };
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
