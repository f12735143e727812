import { createHmac, type KeyObject } from 'node:crypto';
import {
  type ChunkSigner,
  canonicalRequest,
  chunkSigner,
  credentialScope,
  requestSignature,
  signingKey,
  UNSIGNED_PAYLOAD,
} from '../s3-protocol/signature-v4.ts';
import { canonicalQuery } from '../s3-protocol/uri-encoding.ts';

/** The keys of an account. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** When they expire, in milliseconds since the epoch. */
  readonly expiresMs?: number | undefined;
}

/** The type of `@aws-sdk/credential-providers`. */
export type ChainProvider = () => Promise<{
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}>;

/** The parts of a request that a signature covers. */
interface SignableRequest {
  readonly method: string;
  readonly path: string;
  /** In canonical form. */
  readonly query: string;
  /** Names in lower case; `host` among them. */
  readonly headers: Record<string, string>;
  /** The bucket that the host names; `''`: the path names it, or there is none. */
  readonly hostBucket?: string;
}

/** Signs requests with the keys of an account. */
export interface RequestSigner {
  /** Adds the headers of the signature to those of the request, and returns these. */
  readonly signHeaders: (
    request: SignableRequest,
    credentials: Credentials,
    region: string,
    payloadHash: string,
    nowMs: number,
  ) => Record<string, string>;
  /** The query of a URL that anyone may request for `expiresSeconds` (at most 604,800). */
  readonly presignQuery: (
    request: Omit<SignableRequest, 'query'> & {
      readonly query: readonly (readonly [string, string])[];
    },
    credentials: Credentials,
    region: string,
    expiresSeconds: number,
    nowMs: number,
  ) => string;
  /** Signs the chunks of a request whose headers `signHeaders` has signed; `undefined`: chunks have no signatures. */
  readonly signChunks: (
    headers: Readonly<Record<string, string>>,
    credentials: Credentials,
    region: string,
  ) => ChunkSigner | undefined;
}

/** Signs requests for one service. Keeps the signing keys of the day, which cost four HMACs each. */
export class SignerV4 implements RequestSigner {
  readonly #service: string;
  readonly #tokenName: string;
  readonly #keys = new Map<string, { readonly key: KeyObject; readonly scope: string }>();
  #second = { of: Number.NaN, text: '' };

  /** `tokenName`: the parameter of session tokens; as a header in lower case. */
  constructor(service = 's3', tokenName = 'X-Amz-Security-Token') {
    this.#service = service;
    this.#tokenName = tokenName;
  }

  /** Adds `x-amz-date`, `x-amz-content-sha256`, the session token and `authorization`. All headers are signed. */
  readonly signHeaders: RequestSigner['signHeaders'] = (request, keys, region, payload, nowMs) => {
    const time = this.#time(nowMs);
    const { method, path, query, headers } = request;
    headers['x-amz-content-sha256'] = payload;
    headers['x-amz-date'] = time;
    const { accessKeyId, secretAccessKey, sessionToken } = keys;
    if (sessionToken !== undefined) headers[this.#tokenName.toLowerCase()] = sessionToken;
    const names = Object.keys(headers).sort();
    const { key, scope } = this.#keyOf(secretAccessKey, time, region);
    const signable = { method, path, query, names, headers, payload };
    const signature = requestSignature(key, time, scope, canonicalRequest(signable));
    headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope},` +
      `SignedHeaders=${names.join(';')},Signature=${signature}`;
    return headers;
  };

  readonly presignQuery: RequestSigner['presignQuery'] = (
    request,
    keys,
    region,
    seconds,
    nowMs,
  ) => {
    const time = this.#time(nowMs);
    const { accessKeyId, secretAccessKey, sessionToken } = keys;
    const { key, scope } = this.#keyOf(secretAccessKey, time, region);
    const names = Object.keys(request.headers).sort();
    const pairs: [string, string][] = [
      ...request.query.map(([name, value]): [string, string] => [name, value]),
      ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
      ['X-Amz-Credential', `${accessKeyId}/${scope}`],
      ['X-Amz-Date', time],
      ['X-Amz-Expires', String(seconds)],
      ['X-Amz-SignedHeaders', names.join(';')],
    ];
    if (sessionToken !== undefined) pairs.push([this.#tokenName, sessionToken]);
    const query = canonicalQuery(pairs);
    const { method, path, headers } = request;
    const signable = { method, path, query, names, headers, payload: UNSIGNED_PAYLOAD };
    const signature = requestSignature(key, time, scope, canonicalRequest(signable));
    return `${query}&X-Amz-Signature=${signature}`;
  };

  readonly signChunks = (
    headers: Readonly<Record<string, string>>,
    { secretAccessKey }: Credentials,
    region: string,
  ): ChunkSigner => {
    const time = headers['x-amz-date'] ?? '';
    const { key, scope } = this.#keyOf(secretAccessKey, time, region);
    return chunkSigner(key, time, scope, headers['authorization']?.slice(-64) ?? '');
  };

  /** The time in the format of requests, `20261120T103000Z`; formatted once a second. */
  #time(nowMs: number): string {
    const of = Math.floor(nowMs / 1000);
    if (this.#second.of !== of) {
      const text = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
      this.#second = { of, text };
    }
    return this.#second.text;
  }

  #keyOf(secret: string, time: string, region: string) {
    const day = time.slice(0, 8);
    const name = `${day}/${region}/${secret}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    if (this.#keys.size >= 64) this.#keys.clear();
    const made = {
      key: signingKey(secret, day, region, this.#service),
      scope: credentialScope(day, region, this.#service),
    };
    this.#keys.set(name, made);
    return made;
  }
}

/** The parameters that are part of the resource. */
const SIGNED =
  /^(?:acl|delete|legal-hold|lifecycle|location|logging|notification|partNumber|policy|requestPayment|response-.+|restore|retention|tagging|torrent|uploadId|uploads|versionId|versioning|versions|website)$/;

/** Signature version 2 ("Signing and Authenticating REST Requests"): without host; of the content `content-md5`. */
export const signerV2: RequestSigner = {
  signHeaders(request, credentials, _region, _payloadHash, nowMs) {
    const { accessKeyId, sessionToken } = credentials;
    const { headers } = request;
    const date = new Date(nowMs).toUTCString();
    headers['date'] = date;
    if (sessionToken !== undefined) headers['x-amz-security-token'] = sessionToken;
    headers['authorization'] = `AWS ${accessKeyId}:${sign(request, credentials, date)}`;
    return headers;
  },
  presignQuery(request, credentials, _region, expiresSeconds, nowMs) {
    const { accessKeyId, sessionToken } = credentials;
    const expires = String(Math.floor(nowMs / 1000) + expiresSeconds);
    const token = sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken };
    const signable = { ...request, query: canonicalQuery(request.query) };
    const headers = { ...request.headers, ...token };
    return canonicalQuery([
      ...request.query,
      ...Object.entries(token),
      ['AWSAccessKeyId', accessKeyId],
      ['Expires', expires],
      ['Signature', sign({ ...signable, headers }, credentials, expires)],
    ]);
  },
  signChunks: () => undefined,
};

/** The signature in base64. `date`: the header, or when a URL expires. */
function sign(
  { method, path, query, headers, hostBucket = '' }: SignableRequest,
  { secretAccessKey }: Credentials,
  date: string,
): string {
  const amz = Object.keys(headers)
    .filter((name) => name.startsWith('x-amz-'))
    .sort()
    .map((name) => `${name}:${headers[name]?.trim()}\n`);
  const { 'content-md5': md5 = '', 'content-type': type = '' } = headers;
  // The parameters of the resource, in order, with their values as they are.
  const pairs = [...new URLSearchParams(query)].filter(([name]) => SIGNED.test(name));
  const texts = pairs.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).sort();
  const parameters = texts.length === 0 ? '' : `?${texts.join('&')}`;
  const resource = `${hostBucket === '' ? '' : `/${hostBucket}`}${path}${parameters}`;
  const text = `${method}\n${md5}\n${type}\n${date}\n${amz.join('')}${resource}`;
  return createHmac('sha1', secretAccessKey).update(text).digest('base64');
}
