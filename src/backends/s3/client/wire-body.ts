import { Readable } from 'node:stream';
import {
  framedChunks,
  framedLength,
  SIGNED_CHUNKS,
  UNSIGNED_CHUNKS,
} from '../../../s3-protocol/chunk-frames.ts';
import {
  type ChunkSigner,
  EMPTY_PAYLOAD,
  sha256Hex,
  UNSIGNED_PAYLOAD,
} from '../../../s3-protocol/signature-v4.ts';
import type { S3Request } from './request.ts';

/** Bodies up to this size, in bytes, are hashed for the signature where nothing else protects them. */
const SIGNED_SIZE = 1024 ** 2;

/** How the body of a request goes over the wire. */
export interface WireBody {
  /** In bytes. */
  readonly length: number;
  /** What `x-amz-content-sha256` says. */
  readonly payload: string;
  /** Headers that belong to the body; they replace those of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes. `signer` is asked only where chunks are to be signed. */
  open(signer: () => ChunkSigner | undefined): Buffer | Readable | undefined;
}

/** Decides how a body goes over the wire: as it is, or in chunks with its trailer, which are signed without TLS. */
export function wireBody(request: S3Request, isSecure: boolean): WireBody {
  const { body, headers } = request;
  if (body === undefined || Buffer.isBuffer(body) || body.trailer === undefined) {
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : body.stream;
    const length = body === undefined ? 0 : Buffer.isBuffer(body) ? body.length : body.size;
    return { length, payload: payloadHash(request, isSecure), headers: {}, open: () => bytes };
  }
  const { stream, size, trailer } = body;
  const encodings = ['aws-chunked', headers?.['content-encoding'] ?? ''];
  return {
    length: framedLength(size, trailer, !isSecure),
    payload: isSecure ? UNSIGNED_CHUNKS : SIGNED_CHUNKS,
    headers: {
      'content-encoding': encodings.filter((each) => each !== '').join(','),
      'x-amz-decoded-content-length': String(size),
      'x-amz-trailer': trailer.name,
    },
    open: (signer) =>
      Readable.from(framedChunks(stream, trailer, isSecure ? undefined : signer()), {
        objectMode: false,
      }),
  };
}

/**
 * What the signature covers of the body: nothing over TLS; else the hash of a small body. A large one with a signed
 * `content-md5` is not hashed twice.
 */
function payloadHash(
  { body, headers }: Pick<S3Request, 'body' | 'headers'>,
  secure: boolean,
): string {
  if (body === undefined) return EMPTY_PAYLOAD;
  if (secure || !Buffer.isBuffer(body)) return UNSIGNED_PAYLOAD;
  if (body.length > SIGNED_SIZE && headers?.['content-md5'] !== undefined) return UNSIGNED_PAYLOAD;
  return body.length === 0 ? EMPTY_PAYLOAD : sha256Hex(body);
}
