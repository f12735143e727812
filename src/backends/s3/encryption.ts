import { hash } from 'node:crypto';
import type { OptionReader } from '../../kit/option-reader.ts';

/** How the server should encrypt objects. */
export interface Encryption {
  /** `AES256`, `aws:kms` or `''`. */
  readonly algorithm: string;
  readonly kmsKeyId: string;
  readonly customer?: CustomerKey;
  /** ETags are then not MD5s of the content. */
  readonly etagIsNotMd5: boolean;
}

/** A key sent with every request (SSE-C). */
interface CustomerKey {
  readonly algorithm: string;
  readonly keyBase64: string;
  readonly md5Base64: string;
}

/** Reads the `server_side_encryption` and `sse_*` options. */
export function readEncryption(read: OptionReader): Encryption {
  const algorithm = read.text('server_side_encryption');
  const kmsKeyId = read.text('sse_kms_key_id');
  const customer = readCustomerKey(read);
  const etagIsNotMd5 = algorithm.startsWith('aws:kms') || customer !== undefined;
  return { algorithm, kmsKeyId, etagIsNotMd5, ...(customer === undefined ? {} : { customer }) };
}

function readCustomerKey(read: OptionReader): CustomerKey | undefined {
  const algorithm = read.text('sse_customer_algorithm');
  const plain = read.text('sse_customer_key');
  const base64 = read.text('sse_customer_key_base64');
  if (plain !== '' && base64 !== '') {
    throw read.error('sse_customer_key', 'cannot be used with sse_customer_key_base64');
  }
  const key = plain !== '' ? Buffer.from(plain) : Buffer.from(base64, 'base64');
  if (algorithm === '' && key.length === 0) return undefined;
  if (algorithm === '')
    throw read.error('sse_customer_algorithm', 'is missing although a key is set');
  if (key.length !== 32)
    throw read.error('sse_customer_key', `must have 32 bytes, not ${key.length}`);
  return {
    algorithm,
    keyBase64: key.toString('base64'),
    md5Base64: read.text('sse_customer_key_md5') || hash('md5', key, 'base64'),
  };
}

/** The headers of requests that write an object: PUT, copy, CreateMultipartUpload. */
export function encryptionHeaders(encryption: Encryption): Record<string, string> {
  const headers: Record<string, string> = { ...customerKeyHeaders(encryption) };
  if (encryption.algorithm !== '') headers['x-amz-server-side-encryption'] = encryption.algorithm;
  if (encryption.kmsKeyId !== '') {
    headers['x-amz-server-side-encryption-aws-kms-key-id'] = encryption.kmsKeyId;
  }
  return headers;
}

/** The headers of requests that read an object or write a part of one. */
export function customerKeyHeaders({ customer }: Encryption): Record<string, string> {
  return customer === undefined ? {} : keyHeaders('x-amz-server-side-encryption', customer);
}

/** The headers that let the server read the source of a copy. */
export function copySourceKeyHeaders({ customer }: Encryption): Record<string, string> {
  return customer === undefined
    ? {}
    : keyHeaders('x-amz-copy-source-server-side-encryption', customer);
}

function keyHeaders(prefix: string, key: CustomerKey): Record<string, string> {
  return {
    [`${prefix}-customer-algorithm`]: key.algorithm,
    [`${prefix}-customer-key`]: key.keyBase64,
    [`${prefix}-customer-key-md5`]: key.md5Base64,
  };
}
