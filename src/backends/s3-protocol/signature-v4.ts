import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/** Signs the chunks and the trailer of a body, each with the signature before it. */
export interface ChunkSigner {
  /** The signature of the next chunk, from the SHA-256 of its data in hexadecimal. */
  chunk(sha256: string): string;
  /** The signature of the trailer, from the SHA-256 of its lines (`name:value\n`). */
  trailer(sha256: string): string;
}

/** The payload hash of a request whose body is not signed. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

/** The payload hash of an empty body. */
export const EMPTY_PAYLOAD = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** What a V4 signature covers ("Signature Version 4" in the Amazon S3 API reference), in canonical form. */
export function canonicalRequest(request: {
  readonly method: string;
  /** In their canonical forms (`uri-encoding.ts`). */
  readonly path: string;
  readonly query: string;
  /** The headers that are signed, in the order of `SignedHeaders`. */
  readonly names: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Value of `x-amz-content-sha256`. */
  readonly payload: string;
}): string {
  const { method, path, query, names, headers, payload } = request;
  let lines = '';
  // By index: code that V8 has not optimized yet makes objects for each step of `for … of`.
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    const value = (headers[name] ?? '').trim();
    // It is signed without two spaces in a row.
    lines += `${name}:${value.includes('  ') ? value.replace(/ {2,}/g, ' ') : value}\n`;
  }
  return `${method}\n${path}\n${query}\n${lines}\n${names.join(';')}\n${payload}`;
}

/** The day (`YYYYMMDD`), region and service a signature is good for. */
export function credentialScope(day: string, region: string, service = 's3'): string {
  return `${day}/${region}/${service}/aws4_request`;
}

/** The key that signs the requests of one day in one region. As an object: from bytes it is made at each signature. */
export function signingKey(secret: string, day: string, region: string, service = 's3'): KeyObject {
  const sign = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const parts = [day, region, service, 'aws4_request'];
  return createSecretKey(parts.reduce(sign, Buffer.from(`AWS4${secret}`)));
}

/** The signature in hexadecimal. `time`: `YYYYMMDDThhmmssZ`. `canonical`: bytes where header values came as latin1. */
export function requestSignature(
  key: KeyObject,
  time: string,
  scope: string,
  canonical: string | Buffer,
): string {
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', canonical)}`;
  return createHmac('sha256', key).update(text).digest('hex');
}

/** The signer of a body in chunks whose headers have the signature `seed`. */
export function chunkSigner(
  key: KeyObject,
  time: string,
  scope: string,
  seed: string,
): ChunkSigner {
  let previous = seed;
  const next = (kind: string, hashes: string) => {
    const text = `AWS4-HMAC-SHA256-${kind}\n${time}\n${scope}\n${previous}\n${hashes}`;
    previous = createHmac('sha256', key).update(text).digest('hex');
    return previous;
  };
  return {
    chunk: (sha256) => next('PAYLOAD', `${EMPTY_PAYLOAD}\n${sha256}`),
    trailer: (sha256) => next('TRAILER', sha256),
  };
}
