import { createHmac, hash } from 'node:crypto';
import { uriDecode, uriEncode, uriEncodePath } from '../wire/uri-encoding.ts';

/** What a V4 signature covers, see "Signature Version 4" in the Amazon S3 API reference. */
export interface SignedRequest {
  readonly method: string;
  /** The path as it stood in the request line, still encoded. */
  readonly rawPath: string;
  /** Parameters, decoded, without `X-Amz-Signature`. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Values of the signed headers, in the order of their names in `SignedHeaders`; latin1 text. */
  readonly signedHeaders: readonly (readonly [name: string, value: string])[];
  /** Value of `x-amz-content-sha256`. */
  readonly payload: string;
}

/** The canonical form of a request. Header values count as latin1: one character a byte. */
export function canonicalRequest(request: SignedRequest): string {
  const query = request.query
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  let headers = '';
  for (const [name, value] of request.signedHeaders) {
    headers += `${name}:${value.trim().replace(/ {2,}/g, ' ')}\n`;
  }
  const names = request.signedHeaders.map(([name]) => name).join(';');
  const path = uriEncodePath(uriDecode(request.rawPath));
  return `${request.method}\n${path}\n${query}\n${headers}\n${names}\n${request.payload}`;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The day, region and service a signature is good for. */
export function credentialScope(day: string, region: string): string {
  return `${day}/${region}/s3/aws4_request`;
}

/** The key that signs the requests of one day in one region. */
export function signingKey(secret: string, day: string, region: string): Buffer {
  return hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request');
}

/** The signature of a request: 64 lower-case hexadecimal digits. `date` is `YYYYMMDDThhmmssZ`. */
export function requestSignature(
  key: Buffer,
  date: string,
  scope: string,
  canonical: string,
): string {
  const digest = hash('sha256', Buffer.from(canonical, 'latin1'));
  return hexHmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${digest}`);
}

/** SHA-256 of nothing. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Signs the chunks and the trailer of a streamed body, each with the signature before it. */
export interface ChunkSigner {
  /** The signature of the next chunk, from the SHA-256 of its data. */
  chunk(sha256: string): string;
  /** The signature of the trailer, from the SHA-256 of its lines (`name:value\n`). */
  trailer(sha256: string): string;
}

/** The signer of a streamed body whose headers bear the signature `seed`. */
export function chunkSigner(key: Buffer, date: string, scope: string, seed: string): ChunkSigner {
  let previous = seed;
  const next = (text: string) => {
    previous = hexHmac(key, text);
    return previous;
  };
  return {
    chunk: (sha256) =>
      next(`AWS4-HMAC-SHA256-PAYLOAD\n${date}\n${scope}\n${previous}\n${EMPTY_SHA256}\n${sha256}`),
    trailer: (sha256) =>
      next(`AWS4-HMAC-SHA256-TRAILER\n${date}\n${scope}\n${previous}\n${sha256}`),
  };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function hexHmac(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}
