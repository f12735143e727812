import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { canonicalQuery } from './uri-encode.ts';

/** What a request is signed with. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** When they end, in milliseconds since the epoch. */
  readonly expiresMs?: number;
}

/** The parts of a request that a signature covers. */
export interface Signable {
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  /** In canonical form. */
  readonly query: string;
  /** Names in lower case; `host` among them. */
  readonly headers: Readonly<Record<string, string>>;
}

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

/** Signs requests for one service. Keeps the signing keys of the day, which cost four HMACs each. */
export class SignerV4 {
  readonly #service: string;
  readonly #keys = new Map<string, KeyObject>();
  #second = { of: Number.NaN, text: '' };

  constructor(service = 's3') {
    this.#service = service;
  }

  /**
   * The headers of the request with `x-amz-date`, `x-amz-content-sha256`, `x-amz-security-token` and
   * `authorization` added. Every header given is signed.
   */
  signHeaders(
    request: Signable,
    credentials: Credentials,
    region: string,
    payloadHash: string,
    nowMs: number,
  ): Record<string, string> {
    const time = this.#time(nowMs);
    const headers: Record<string, string> = {
      ...request.headers,
      'x-amz-content-sha256': payloadHash,
      'x-amz-date': time,
    };
    if (credentials.sessionToken !== undefined) {
      headers['x-amz-security-token'] = credentials.sessionToken;
    }
    const signed = { ...request, headers };
    const { scope, signature, names } = this.#sign(signed, credentials, region, payloadHash, time);
    headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope},` +
      `SignedHeaders=${names},Signature=${signature}`;
    return headers;
  }

  /** The query of a URL that anybody may request until `expiresSeconds` have passed (at most 604,800). */
  presignQuery(
    request: Omit<Signable, 'query'> & { readonly query: readonly (readonly [string, string])[] },
    credentials: Credentials,
    region: string,
    expiresSeconds: number,
    nowMs: number,
  ): string {
    const time = this.#time(nowMs);
    const pairs: [string, string][] = [
      ...request.query.map(([name, value]): [string, string] => [name, value]),
      ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
      ['X-Amz-Credential', `${credentials.accessKeyId}/${this.#scope(region, time)}`],
      ['X-Amz-Date', time],
      ['X-Amz-Expires', String(expiresSeconds)],
      ['X-Amz-SignedHeaders', Object.keys(request.headers).sort().join(';')],
    ];
    if (credentials.sessionToken !== undefined) {
      pairs.push(['X-Amz-Security-Token', credentials.sessionToken]);
    }
    const query = canonicalQuery(pairs);
    const signable = { ...request, query };
    const { signature } = this.#sign(signable, credentials, region, UNSIGNED_PAYLOAD, time);
    return `${query}&X-Amz-Signature=${signature}`;
  }

  /** Signs the chunks of a request whose headers `signHeaders` has signed. */
  signChunks(
    headers: Readonly<Record<string, string>>,
    { secretAccessKey }: Credentials,
    region: string,
  ): ChunkSigner {
    const time = headers['x-amz-date'] ?? '';
    const before = `${time}\n${this.#scope(region, time)}\n`;
    const key = this.#signingKey(secretAccessKey, time.slice(0, 8), region);
    let previous = headers['authorization']?.slice(-64) ?? '';
    const next = (kind: string, hashes: string) => {
      const text = `AWS4-HMAC-SHA256-${kind}\n${before}${previous}\n${hashes}`;
      previous = createHmac('sha256', key).update(text).digest('hex');
      return previous;
    };
    return {
      chunk: (sha256) => next('PAYLOAD', `${EMPTY_PAYLOAD}\n${sha256}`),
      trailer: (sha256) => next('TRAILER', sha256),
    };
  }

  #sign(
    request: Signable,
    credentials: Credentials,
    region: string,
    payloadHash: string,
    time: string,
  ): { scope: string; signature: string; names: string } {
    const names = Object.keys(request.headers).sort();
    const signedNames = names.join(';');
    let canonical = `${request.method}\n${request.path}\n${request.query}\n`;
    for (const name of names) {
      canonical += `${name}:${singleSpaced(request.headers[name] ?? '')}\n`;
    }
    canonical += `\n${signedNames}\n${payloadHash}`;
    const scope = this.#scope(region, time);
    const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256Hex(canonical)}`;
    const key = this.#signingKey(credentials.secretAccessKey, time.slice(0, 8), region);
    const signature = createHmac('sha256', key).update(toSign).digest('hex');
    return { scope, signature, names: signedNames };
  }

  /** The time as requests have it; made once a second. */
  #time(nowMs: number): string {
    const of = Math.floor(nowMs / 1000);
    if (this.#second.of !== of) this.#second = { of, text: amzTime(nowMs) };
    return this.#second.text;
  }

  #scope(region: string, time: string): string {
    return `${time.slice(0, 8)}/${region}/${this.#service}/aws4_request`;
  }

  /** A key as an object: one from bytes would be made anew for every signature, which costs more than signing. */
  #signingKey(secret: string, day: string, region: string): KeyObject {
    const name = `${day}/${region}/${secret}`;
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    if (this.#keys.size >= 64) this.#keys.clear();
    const parts = [day, region, this.#service, 'aws4_request'];
    const key = createSecretKey(
      parts.reduce<Buffer>(
        (left, part) => createHmac('sha256', left).update(part).digest(),
        Buffer.from(`AWS4${secret}`),
      ),
    );
    this.#keys.set(name, key);
    return key;
  }
}

/** SHA-256 of a whole body, in hexadecimal. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** A header's value as it is signed: no space around it, and no two within it. */
function singleSpaced(value: string): string {
  const trimmed = value.trim();
  return trimmed.includes('  ') ? trimmed.replace(/ {2,}/g, ' ') : trimmed;
}

/** `20261120T103000Z`. */
function amzTime(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`;
}
