import type { ChunkSigner } from '../s3-protocol/signature-v4.ts';

/** The keys of an account. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** When they expire, in milliseconds since the epoch. */
  readonly expiresMs?: number;
}

/** The type of `@aws-sdk/credential-providers`. */
export type ChainProvider = () => Promise<{
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}>;

/** The parts of a request that a signature covers. */
export interface Signable {
  readonly method: string;
  readonly path: string;
  /** In canonical form. */
  readonly query: string;
  /** Names in lower case; `host` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bucket that the host names; `''`: the path names it, or there is none. */
  readonly hostBucket?: string;
}

/** Signs requests with the keys of an account. */
export interface RequestSigner {
  /** The request's headers with those of the signature. */
  signHeaders(
    request: Signable,
    credentials: Credentials,
    region: string,
    payloadHash: string,
    nowMs: number,
  ): Record<string, string>;
  /** The query of a URL that anyone may request for `expiresSeconds`. */
  presignQuery(
    request: Omit<Signable, 'query'> & { readonly query: readonly (readonly [string, string])[] },
    credentials: Credentials,
    region: string,
    expiresSeconds: number,
    nowMs: number,
  ): string;
  /** Signs the chunks of a request whose headers `signHeaders` has signed; `undefined`: chunks have no signatures. */
  signChunks(
    headers: Readonly<Record<string, string>>,
    credentials: Credentials,
    region: string,
  ): ChunkSigner | undefined;
}
