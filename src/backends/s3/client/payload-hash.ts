import { EMPTY_PAYLOAD, sha256Hex, UNSIGNED_PAYLOAD } from '../sign-v4.ts';
import type { StreamBody } from './request.ts';

/** Bodies up to this size, in bytes, are hashed for the signature where nothing else protects them. */
const SIGNED_SIZE = 1024 ** 2;

/**
 * What the signature says of the body. Over TLS it need say nothing. Over plain HTTP the hash of a small body is
 * signed; a large one is covered by its `content-md5` header, which is signed, and is spared a second hash.
 */
export function payloadHash(body: Buffer | StreamBody | undefined, secure: boolean): string {
  if (body === undefined) return EMPTY_PAYLOAD;
  if (secure || !Buffer.isBuffer(body) || body.length > SIGNED_SIZE) return UNSIGNED_PAYLOAD;
  return body.length === 0 ? EMPTY_PAYLOAD : sha256Hex(body);
}
