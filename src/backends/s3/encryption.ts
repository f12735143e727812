import { hash } from 'node:crypto';
import type { OptionReader } from '../option-reader.ts';

/** How the server should encrypt objects. */
export interface Encryption {
  /** `AES256`, `aws:kms` or `''`. */
  readonly algorithm: string;
  readonly kmsKeyId: string;
  /** The headers of a key sent with every request (SSE-C), without their prefix. */
  readonly customer?: Readonly<Record<string, string>>;
  /** ETags are then not MD5s of the content. */
  readonly etagIsNotMd5: boolean;
  /** Headers of requests that write an object: PUT, copy, CreateMultipartUpload. */
  readonly writeHeaders: Readonly<Record<string, string>>;
  /** Headers of requests that read an object or write a part of one: those of the customer's key. */
  readonly keyHeaders: Readonly<Record<string, string>>;
  /** Headers that let the server read the source of a copy. */
  readonly sourceKeyHeaders: Readonly<Record<string, string>>;
}

/** Reads the `server_side_encryption` and `sse_*` options. `hasOddEtags`: no ETag of the server is an MD5. */
export function readEncryption(read: OptionReader, hasOddEtags = false): Encryption {
  const algorithm = read.text('server_side_encryption');
  const kmsKeyId = read.text('sse_kms_key_id');
  const customer = readCustomerKey(read);
  const etagIsNotMd5 = hasOddEtags || algorithm.startsWith('aws:kms') || customer !== undefined;
  const keyHeaders = prefixed('x-amz-server-side-encryption', customer);
  const writeHeaders = { ...keyHeaders };
  if (algorithm !== '') writeHeaders['x-amz-server-side-encryption'] = algorithm;
  if (kmsKeyId !== '') writeHeaders['x-amz-server-side-encryption-aws-kms-key-id'] = kmsKeyId;
  return {
    algorithm,
    kmsKeyId,
    etagIsNotMd5,
    writeHeaders,
    keyHeaders,
    sourceKeyHeaders: prefixed('x-amz-copy-source-server-side-encryption', customer),
    ...(customer === undefined ? {} : { customer }),
  };
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

function prefixed(prefix: string, key: Encryption['customer'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(key).map(([name, value]) => [`${prefix}-${name}`, value]),
  );
}
