import { EMPTY_PAYLOAD, sha256Hex, UNSIGNED_PAYLOAD } from '../../../s3-protocol/signature-v4.ts';
import type { S3Request } from './request.ts';

/** Bodies up to this size, in bytes, are hashed for the signature where nothing else protects them. */
const SIGNED_SIZE = 1024 ** 2;

/**
 * What the signature says of the body. Over TLS it need say nothing. Over plain HTTP the hash of a small body is
 * signed; a large one that is covered by its `content-md5` header, which is signed, is spared a second hash.
 */
export function payloadHash(
  { body, headers }: Pick<S3Request, 'body' | 'headers'>,
  secure: boolean,
): string {
  if (body === undefined) return EMPTY_PAYLOAD;
  if (secure || !Buffer.isBuffer(body)) return UNSIGNED_PAYLOAD;
  if (body.length > SIGNED_SIZE && headers?.['content-md5'] !== undefined) return UNSIGNED_PAYLOAD;
  return body.length === 0 ? EMPTY_PAYLOAD : sha256Hex(body);
}
