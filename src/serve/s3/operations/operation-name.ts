import type { IncomingHttpHeaders } from 'node:http';
import type { Query } from '../wire/uri-encoding.ts';

/** Documents about a bucket that are kept and given back as they came, by their subresource. */
export const BUCKET_DOCUMENTS = [
  'cors',
  'encryption',
  'lifecycle',
  'object-lock',
  'ownershipControls',
  'policy',
  'publicAccessBlock',
  'replication',
  'tagging',
  'website',
] as const;

/** Things about a bucket that are always at their defaults. */
const FIXED = ['accelerate', 'logging', 'notification', 'requestPayment'] as const;

/** A request as far as its operation depends on it. */
export interface RequestShape {
  readonly method: string;
  readonly bucketName: string;
  readonly key: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
}

type BucketVerb = 'Get' | 'Put' | 'Delete';

/** The name of an operation as Amazon's API reference has it, where it has one. */
export type OperationName =
  | 'ListBuckets'
  | 'CreateBucket'
  | 'HeadBucket'
  | 'DeleteBucket'
  | 'GetBucketLocation'
  | `${'Get' | 'Put'}BucketVersioning`
  | `${'Get' | 'Put'}${'Bucket' | 'Object'}Acl`
  | `${BucketVerb}BucketDocument`
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
  | `${BucketVerb}ObjectTagging`
  | 'CreateMultipartUpload'
  | 'UploadPart'
  | 'UploadPartCopy'
  | 'CompleteMultipartUpload'
  | 'AbortMultipartUpload'
  | 'ListParts';

/** Which operation a request asks for; `undefined` where there is none for its method and parameters. */
export function operationName(request: RequestShape): OperationName | undefined {
  const { method, bucketName, key } = request;
  if (bucketName === '') return method === 'GET' || method === 'HEAD' ? 'ListBuckets' : undefined;
  return key === '' ? bucketOperation(request) : objectOperation(request);
}

const VERBS: Readonly<Record<string, BucketVerb>> = { GET: 'Get', PUT: 'Put', DELETE: 'Delete' };

function bucketOperation({ method, query }: RequestShape): OperationName | undefined {
  const verb = VERBS[method];
  const readOrWrite = verb === 'Get' || verb === 'Put' ? verb : undefined;
  if (query.has('versioning')) return readOrWrite && `${readOrWrite}BucketVersioning`;
  if (query.has('acl')) return readOrWrite && `${readOrWrite}BucketAcl`;
  if (BUCKET_DOCUMENTS.some((name) => query.has(name))) return verb && `${verb}BucketDocument`;
  if (FIXED.some((name) => query.has(name))) return verb === 'Get' ? 'GetBucketDefault' : undefined;
  switch (method) {
    case 'GET':
      if (query.has('location')) return 'GetBucketLocation';
      if (query.has('uploads')) return 'ListMultipartUploads';
      if (query.has('versions')) return 'ListObjectVersions';
      return query.get('list-type') === '2' ? 'ListObjectsV2' : 'ListObjects';
    case 'HEAD':
      return 'HeadBucket';
    case 'PUT':
      return 'CreateBucket';
    case 'DELETE':
      return 'DeleteBucket';
    case 'POST':
      return query.has('delete') ? 'DeleteObjects' : undefined;
    default:
      return undefined;
  }
}

function objectOperation({ method, query, headers }: RequestShape): OperationName | undefined {
  const isCopy = headers['x-amz-copy-source'] !== undefined;
  const ofUpload = query.has('uploadId');
  const verb = VERBS[method];
  if (query.has('tagging')) return verb && `${verb}ObjectTagging`;
  if (query.has('acl')) return verb === 'Get' || verb === 'Put' ? `${verb}ObjectAcl` : undefined;
  switch (method) {
    case 'GET':
      if (ofUpload) return 'ListParts';
      return query.has('attributes') ? 'GetObjectAttributes' : 'GetObject';
    case 'HEAD':
      return 'HeadObject';
    case 'PUT':
      if (ofUpload) return isCopy ? 'UploadPartCopy' : 'UploadPart';
      return isCopy ? 'CopyObject' : 'PutObject';
    case 'DELETE':
      return ofUpload ? 'AbortMultipartUpload' : 'DeleteObject';
    case 'POST':
      if (ofUpload) return 'CompleteMultipartUpload';
      return query.has('uploads') ? 'CreateMultipartUpload' : undefined;
    default:
      return undefined;
  }
}

const READING: readonly string[] = ['Get', 'Head', 'List'];

/** Whether an operation changes nothing. */
export function isReading(name: OperationName): boolean {
  return READING.some((start) => name.startsWith(start));
}
