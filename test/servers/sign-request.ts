import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import {
  canonicalRequest,
  credentialScope,
  requestSignature,
  signingKey,
} from '../../src/backends/s3-protocol/signature-v4.ts';
import { canonicalQuery, encodeUriPath } from '../../src/backends/s3-protocol/uri-encoding.ts';
import type { AccessKey, RequestToAuthenticate } from '../../src/serve/s3/auth/authenticate.ts';
import { uriDecode } from '../../src/serve/s3/wire/uri-encoding.ts';

/** The keys of requests signed here, where nothing else is said. */
export const KEY: AccessKey = { accessKeyId: 'test-key', secretAccessKey: 'test-secret' };

/** A request to be signed, right or wrong on purpose. */
export interface ToSign {
  readonly method: string;
  /** Encoded. */
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Value of `x-amz-content-sha256`; that of an empty body where absent. */
  readonly payload?: string;
  readonly accessKeyId?: string;
  readonly secret?: string;
  readonly region?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A signed request, in the form in which the server takes it apart. */
export interface Signed extends RequestToAuthenticate {
  readonly headers: IncomingHttpHeaders & Record<string, string>;
  readonly signature: string;
}

/** Signs in the headers. */
export function signHeaders(request: ToSign): Signed {
  const payload = request.payload ?? hash('sha256', '');
  const { date, scope, key } = credentials(request);
  const headers: Record<string, string> = {
    host: 'localhost',
    ...request.headers,
    'x-amz-content-sha256': payload,
    'x-amz-date': date,
  };
  const names = Object.keys(headers).sort();
  const { method, path: rawPath, query = [] } = request;
  const canonical = canonicalRequest({
    method,
    path: encodeUriPath(uriDecode(rawPath)),
    query: canonicalQuery(query),
    names,
    headers,
    payload,
  });
  const signature = requestSignature(key, date, scope, Buffer.from(canonical, 'latin1'));
  const id = request.accessKeyId ?? KEY.accessKeyId;
  headers['authorization'] =
    `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { method, rawPath, query, headers, signature };
}

/** Signs in the URL; good for `expires` seconds. */
export function presign(request: ToSign & { readonly expires: number }): Signed {
  const { date, scope, key } = credentials(request);
  const id = request.accessKeyId ?? KEY.accessKeyId;
  const query: [string, string][] = [
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${id}/${scope}`],
    ['X-Amz-Date', date],
    ['X-Amz-Expires', String(request.expires)],
    ['X-Amz-SignedHeaders', 'host'],
    ...(request.query ?? []).map(([name, value]): [string, string] => [name, value]),
  ];
  const { method, path: rawPath } = request;
  const headers: Record<string, string> = { host: 'localhost', ...request.headers };
  const canonical = canonicalRequest({
    method,
    path: encodeUriPath(uriDecode(rawPath)),
    query: canonicalQuery(query),
    names: ['host'],
    headers,
    payload: 'UNSIGNED-PAYLOAD',
  });
  const signature = requestSignature(key, date, scope, Buffer.from(canonical, 'latin1'));
  return { method, rawPath, query: [...query, ['X-Amz-Signature', signature]], headers, signature };
}

/** The key, date and scope a request is signed with. */
export function credentials(request: Pick<ToSign, 'now' | 'region' | 'secret'>) {
  const date = new Date(request.now).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = date.slice(0, 8);
  const region = request.region ?? 'us-east-1';
  const key = signingKey(request.secret ?? KEY.secretAccessKey, day, region);
  return { date, key, scope: credentialScope(day, region) };
}
