import type { IncomingHttpHeaders } from 'node:http';
import { S3Error } from '../wire/s3-error.ts';
import type { Query } from '../wire/uri-encoding.ts';

/** The parts of a request that determine its operation. */
export interface RequestShape {
  readonly method: string;
  readonly bucketName: string;
  readonly key: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
}

type GetOrPut = 'Get' | 'Put';

/** Operation names, from Amazon's API reference if it has one. */
export type OperationName =
  | 'ListBuckets'
  | 'CreateBucket'
  | 'HeadBucket'
  | 'DeleteBucket'
  | 'GetBucketLocation'
  | `${GetOrPut}BucketVersioning`
  | `${GetOrPut}${'Bucket' | 'Object'}Acl`
  | `${GetOrPut}ObjectLockConfiguration`
  | `${GetOrPut}Object${'Retention' | 'LegalHold'}`
  | `${GetOrPut | 'Delete'}BucketDocument`
  | 'GetBucketDefault'
  | 'ListObjects'
  | 'ListObjectsV2'
  | 'ListObjectVersions'
  | 'ListMultipartUploads'
  | 'DeleteObjects'
  | 'GetObject'
  | 'HeadObject'
  | 'PutObject'
  | 'CopyObject'
  | 'DeleteObject'
  | 'GetObjectAttributes'
  | `${GetOrPut | 'Delete'}ObjectTagging`
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'UploadPartCopy'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'ListParts';

type ByMethod = Readonly<Record<string, OperationName>>;

const KEPT: ByMethod = {
  GET: 'GetBucketDocument',
  PUT: 'PutBucketDocument',
  DELETE: 'DeleteBucketDocument',
};
/** Documents of unsupported features: there never is one. */
const ABSENT: ByMethod = { GET: 'GetBucketDocument', DELETE: 'DeleteBucketDocument' };
const DEFAULT: ByMethod = { GET: 'GetBucketDefault' };

/** The operation of each method for a subresource of a bucket; `''` is the bucket itself. */
const BUCKET: Readonly<Record<string, ByMethod>> = {
  '': { GET: 'ListObjects', HEAD: 'HeadBucket', PUT: 'CreateBucket', DELETE: 'DeleteBucket' },
  'list-type': { GET: 'ListObjectsV2' },
  accelerate: DEFAULT,
  acl: { GET: 'GetBucketAcl', PUT: 'PutBucketAcl' },
  cors: KEPT,
  delete: { POST: 'DeleteObjects' },
  encryption: ABSENT,
  lifecycle: ABSENT,
  location: { GET: 'GetBucketLocation' },
  logging: DEFAULT,
  notification: DEFAULT,
  'object-lock': { GET: 'GetObjectLockConfiguration', PUT: 'PutObjectLockConfiguration' },
  ownershipControls: ABSENT,
  policy: ABSENT,
  publicAccessBlock: ABSENT,
  replication: ABSENT,
  requestPayment: DEFAULT,
  tagging: KEPT,
  uploads: { GET: 'ListMultipartUploads' },
  versioning: { GET: 'GetBucketVersioning', PUT: 'PutBucketVersioning' },
  versions: { GET: 'ListObjectVersions' },
  website: ABSENT,
};

/** The same for an object. */
const OBJECT: Readonly<Record<string, ByMethod>> = {
  '': { GET: 'GetObject', HEAD: 'HeadObject', PUT: 'PutObject', DELETE: 'DeleteObject' },
  acl: { GET: 'GetObjectAcl', PUT: 'PutObjectAcl' },
  attributes: { GET: 'GetObjectAttributes' },
  'legal-hold': { GET: 'GetObjectLegalHold', PUT: 'PutObjectLegalHold' },
  retention: { GET: 'GetObjectRetention', PUT: 'PutObjectRetention' },
  tagging: { GET: 'GetObjectTagging', PUT: 'PutObjectTagging', DELETE: 'DeleteObjectTagging' },
  uploadId: {
    GET: 'ListParts',
    PUT: 'UploadPart',
    DELETE: 'AbortMultipartUpload',
    POST: 'CompleteMultipartUpload',
  },
  uploads: { POST: 'CreateMultipartUpload' },
};

const SERVICE: Readonly<Record<string, ByMethod>> = {
  '': { GET: 'ListBuckets', HEAD: 'ListBuckets' },
};

/** The names of all subresources, which determine the operation. */
export const SUBRESOURCES: ReadonlySet<string> = new Set(
  [...Object.keys(BUCKET), ...Object.keys(OBJECT)].filter((name) => name !== ''),
);

const LISTING = ['prefix', 'delimiter', 'encoding-type', 'max-keys'];
const VERSION = ['versionId'];

/** The parameters of each operation besides its subresource. */
const PARAMETERS: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  ListBuckets: ['prefix', 'max-buckets', 'continuation-token', 'bucket-region'],
  ListObjects: [...LISTING, 'marker'],
  ListObjectsV2: [...LISTING, 'continuation-token', 'start-after', 'fetch-owner'],
  ListObjectVersions: [...LISTING, 'key-marker', 'version-id-marker'],
  ListMultipartUploads: [...LISTING, 'key-marker', 'upload-id-marker', 'max-uploads'],
  ListParts: ['max-parts', 'part-number-marker', 'encoding-type'],
  GetObject: ['versionId', 'partNumber'],
  HeadObject: ['versionId', 'partNumber'],
  DeleteObject: VERSION,
  GetObjectAcl: VERSION,
  PutObjectAcl: VERSION,
  GetObjectAttributes: VERSION,
  GetObjectLegalHold: VERSION,
  PutObjectLegalHold: VERSION,
  GetObjectRetention: VERSION,
  PutObjectRetention: VERSION,
  GetObjectTagging: VERSION,
  PutObjectTagging: VERSION,
  DeleteObjectTagging: VERSION,
  UploadPart: ['partNumber'],
  UploadPartCopy: ['partNumber'],
};

/** SDKs add the name of the operation. */
const OF_ANY = 'x-id';

/**
 * The operation of a request. Throws `NotImplemented` for a parameter that it does not support: a request for
 * something else must never be treated as a plain read, write or deletion.
 */
export function operationName(request: RequestShape): OperationName {
  const { method, bucketName, key, query, headers } = request;
  const table = bucketName === '' ? SERVICE : key === '' ? BUCKET : OBJECT;
  const subresource = [...query.keys()].find((name) => name !== '' && Object.hasOwn(table, name));
  const plain = table[subresource ?? '']?.[method];
  if (plain === undefined && query.size === 0) throw new S3Error('MethodNotAllowed');
  const isCopy = headers['x-amz-copy-source'] !== undefined;
  const name = isCopy ? (COPIES[plain ?? ''] ?? plain) : plain;
  for (const parameter of query.keys()) {
    const isKnown =
      name !== undefined &&
      (parameter === subresource ||
        parameter === OF_ANY ||
        PARAMETERS[name]?.includes(parameter) ||
        ((name === 'GetObject' || name === 'HeadObject') && parameter.startsWith('response-')));
    if (!isKnown) throw notImplemented(`The parameter ${parameter} of a ${method}`);
  }
  if (name === undefined) throw new S3Error('MethodNotAllowed');
  if (name === 'ListObjectsV2' && query.get('list-type') !== '2')
    throw new S3Error('InvalidArgument', { message: 'Invalid List Type value.' });
  return name;
}

const COPIES: ByMethod = { PutObject: 'CopyObject', UploadPart: 'UploadPartCopy' };

/** The error for an unsupported request. */
export function notImplemented(what: string): S3Error {
  return new S3Error('NotImplemented', { message: `${what} is not implemented by this server.` });
}

const READING: readonly string[] = ['Get', 'Head', 'List'];

/** Whether an operation changes nothing. */
export function isReading(name: OperationName): boolean {
  return READING.some((start) => name.startsWith(start));
}
