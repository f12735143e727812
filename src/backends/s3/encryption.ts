import { hash } from 'node:crypto';
import type { OptionReader } from '../../kit/option-reader.ts';

/** How the server should encrypt objects. */
export interface Encryption {
  /** `AES256`, `aws:kms` or `''`. */
  readonly algorithm: string;
  readonly kmsKeyId: string;
  /** The headers of a key sent with every request (SSE-C), without their prefix. */
  readonly customer?: Readonly<Record<string, string>>;
  /** ETags are then not MD5s of the content. */
  readonly etagIsNotMd5: boolean;
}

/** Reads the `server_side_encryption` and `sse_*` options. `hasOddEtags`: no ETag of the server is an MD5. */
export function readEncryption(read: OptionReader, hasOddEtags = false): Encryption {
  const algorithm = read.text('server_side_encryption');
  const kmsKeyId = read.text('sse_kms_key_id');
  const customer = readCustomerKey(read);
  const etagIsNotMd5 = hasOddEtags || algorithm.startsWith('aws:kms') || customer !== undefined;
  return { algorithm, kmsKeyId, etagIsNotMd5, ...(customer === undefined ? {} : { customer }) };
}

function readCustomerKey(read: OptionReader): Encryption['customer'] {
  const algorithm = read.text('sse_customer_algorithm');
  const plain = read.text('sse_customer_key');
  const base64 = read.text('sse_customer_key_base64');
  if (plain !== '' && base64 !== '') {
    throw read.error('sse_customer_key', 'cannot be used with sse_customer_key_base64');
  }
  if (algorithm === '' && plain === '' && base64 === '') return undefined;
  if (algorithm === '')
    throw read.error('sse_customer_algorithm', 'is missing although a key is set');
  const key = plain !== '' ? Buffer.from(plain) : Buffer.from(base64, 'base64');
  if (key.length !== 32)
    throw read.error('sse_customer_key', `must have 32 bytes, not ${key.length}`);
  return {
    'customer-algorithm': algorithm,
    'customer-key': key.toString('base64'),
    'customer-key-md5': read.text('sse_customer_key_md5') || hash('md5', key, 'base64'),
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
  return keyHeaders('x-amz-server-side-encryption', customer);
}

/** The headers that let the server read the source of a copy. */
export function copySourceKeyHeaders({ customer }: Encryption): Record<string, string> {
  return keyHeaders('x-amz-copy-source-server-side-encryption', customer);
}

function keyHeaders(prefix: string, key: Encryption['customer'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(key).map(([name, value]) => [`${prefix}-${name}`, value]),
  );
}
