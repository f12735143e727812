import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../wire/answer.ts';
import { notImplemented, S3Error } from '../wire/s3-error.ts';
import type { Query } from '../wire/uri-encoding.ts';
import * as buckets from './buckets.ts';
import type { Call } from './call.ts';
import * as copies from './copy-object.ts';
import * as deletions from './delete-objects.ts';
import * as objects from './get-object.ts';
import * as listings from './list-objects.ts';
import * as uploads from './multipart-uploads.ts';
import * as attributes from './object-attributes.ts';
import * as puts from './put-object.ts';

/** The parts of a request that determine its operation. */
export interface RequestShape {
  readonly method: string;
  readonly bucketName: string;
  readonly key: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
}

/** An operation, which throws an `S3Error` to refuse a call, and what makes a request it. */
type Shape = readonly [
  run: (call: Call) => Promise<Answer>,
  at: 'service' | 'bucket' | 'object',
  /** Separated by blanks, as the subresources; none: it is a copy, which a header makes of another one. */
  methods: string,
  /** By default the bucket or object itself: `''`. */
  subresources?: string,
  furtherParameters?: readonly string[],
];

const SELF = '';
const LISTING = ['prefix', 'delimiter', 'encoding-type', 'max-keys'];
const VERSION = ['versionId'];
/** Documents of a bucket that are stored, and with those of unsupported features, which never exist. */
const STORED = 'cors tagging';
const DOCUMENTS = `${STORED} encryption lifecycle ownershipControls policy publicAccessBlock replication website`;
const DEFAULTS = 'accelerate logging notification requestPayment';

/** All operations, with the names of Amazon's API reference if it has one. */
export const OPERATIONS = {
  ListBuckets: [
    buckets.listBuckets,
    'service',
    'GET HEAD',
    SELF,
    ['prefix', 'max-buckets', 'continuation-token', 'bucket-region'],
  ],
  CreateBucket: [buckets.createBucket, 'bucket', 'PUT'],
  HeadBucket: [buckets.headBucket, 'bucket', 'HEAD'],
  DeleteBucket: [buckets.deleteBucket, 'bucket', 'DELETE'],
  GetBucketLocation: [buckets.getBucketLocation, 'bucket', 'GET', 'location'],
  GetBucketVersioning: [buckets.getBucketVersioning, 'bucket', 'GET', 'versioning'],
  PutBucketVersioning: [buckets.putBucketVersioning, 'bucket', 'PUT', 'versioning'],
  GetBucketAcl: [buckets.getAcl, 'bucket', 'GET', 'acl'],
  PutBucketAcl: [buckets.putAcl, 'bucket', 'PUT', 'acl'],
  GetBucketDocument: [buckets.getBucketDocument, 'bucket', 'GET', DOCUMENTS],
  PutBucketDocument: [buckets.putBucketDocument, 'bucket', 'PUT', STORED],
  DeleteBucketDocument: [buckets.deleteBucketDocument, 'bucket', 'DELETE', DOCUMENTS],
  GetBucketDefault: [buckets.getBucketDefault, 'bucket', 'GET', DEFAULTS],
  GetObjectLockConfiguration: [buckets.getObjectLockConfiguration, 'bucket', 'GET', 'object-lock'],
  PutObjectLockConfiguration: [buckets.putObjectLockConfiguration, 'bucket', 'PUT', 'object-lock'],
  ListObjects: [listings.listObjects, 'bucket', 'GET', SELF, [...LISTING, 'marker']],
  ListObjectsV2: [
    listings.listObjectsV2,
    'bucket',
    'GET',
    'list-type',
    [...LISTING, 'continuation-token', 'start-after', 'fetch-owner'],
  ],
  ListObjectVersions: [
    listings.listObjectVersions,
    'bucket',
    'GET',
    'versions',
    [...LISTING, 'key-marker', 'version-id-marker'],
  ],
  ListMultipartUploads: [
    uploads.listMultipartUploads,
    'bucket',
    'GET',
    'uploads',
    [...LISTING, 'key-marker', 'upload-id-marker', 'max-uploads'],
  ],
  DeleteObjects: [deletions.deleteObjects, 'bucket', 'POST', 'delete'],
  GetObject: [objects.getObject, 'object', 'GET', SELF, ['versionId', 'partNumber']],
  HeadObject: [objects.headObject, 'object', 'HEAD', SELF, ['versionId', 'partNumber']],
  PutObject: [puts.putObject, 'object', 'PUT'],
  CopyObject: [copies.copyObject, 'object', ''],
  DeleteObject: [deletions.deleteObject, 'object', 'DELETE', SELF, VERSION],
  GetObjectAttributes: [objects.getObjectAttributes, 'object', 'GET', 'attributes', VERSION],
  GetObjectTagging: [attributes.getObjectTagging, 'object', 'GET', 'tagging', VERSION],
  PutObjectTagging: [attributes.putObjectTagging, 'object', 'PUT', 'tagging', VERSION],
  DeleteObjectTagging: [attributes.deleteObjectTagging, 'object', 'DELETE', 'tagging', VERSION],
  GetObjectAcl: [buckets.getAcl, 'object', 'GET', 'acl', VERSION],
  PutObjectAcl: [buckets.putAcl, 'object', 'PUT', 'acl', VERSION],
  GetObjectRetention: [attributes.getObjectRetention, 'object', 'GET', 'retention', VERSION],
  PutObjectRetention: [attributes.putObjectRetention, 'object', 'PUT', 'retention', VERSION],
  GetObjectLegalHold: [attributes.getObjectLegalHold, 'object', 'GET', 'legal-hold', VERSION],
  PutObjectLegalHold: [attributes.putObjectLegalHold, 'object', 'PUT', 'legal-hold', VERSION],
  CreateMultipartUpload: [uploads.createMultipartUpload, 'object', 'POST', 'uploads'],
  UploadPart: [puts.uploadPart, 'object', 'PUT', 'uploadId', ['partNumber']],
  UploadPartCopy: [copies.uploadPartCopy, 'object', '', SELF, ['partNumber']],
  CompleteMultipartUpload: [uploads.completeMultipartUpload, 'object', 'POST', 'uploadId'],
  AbortMultipartUpload: [uploads.abortMultipartUpload, 'object', 'DELETE', 'uploadId'],
  ListParts: [
    uploads.listParts,
    'object',
    'GET',
    'uploadId',
    ['max-parts', 'part-number-marker', 'encoding-type'],
  ],
} as const satisfies Readonly<Record<string, Shape>>;

export type OperationName = keyof typeof OPERATIONS;

type ByMethod = Record<string, OperationName>;

/** By place, subresource and method. */
const TABLES = operationTables(OPERATIONS);

function operationTables(shapes: Readonly<Record<OperationName, Shape>>) {
  const tables: Record<Shape[1], Record<string, ByMethod>> = {
    service: {},
    bucket: {},
    object: {},
  };
  for (const [name, [, at, methods, subresources = SELF]] of Object.entries(shapes)) {
    for (const subresource of methods === '' ? [] : subresources.split(' ')) {
      const byMethod = methods.split(' ').map((method) => [method, name as OperationName]);
      tables[at][subresource] = { ...tables[at][subresource], ...Object.fromEntries(byMethod) };
    }
  }
  return tables;
}

/** The names of all subresources, which determine the operation. */
export const SUBRESOURCES: ReadonlySet<string> = new Set(
  Object.values(TABLES).flatMap((table) => Object.keys(table).filter((name) => name !== '')),
);

/** Throws `NotImplemented` for an unknown parameter: it must never be treated as a plain read, write or deletion. */
export function operationName(request: RequestShape): OperationName {
  const { method, bucketName, key, query, headers } = request;
  const table = TABLES[bucketName === '' ? 'service' : key === '' ? 'bucket' : 'object'];
  const subresource = [...query.keys()].find((name) => name !== '' && Object.hasOwn(table, name));
  const plain = table[subresource ?? '']?.[method];
  if (plain === undefined && query.size === 0) throw new S3Error('MethodNotAllowed');
  const isCopy = headers['x-amz-copy-source'] !== undefined;
  const name = isCopy ? (COPIES[plain ?? ''] ?? plain) : plain;
  const further = name === undefined ? [] : ((OPERATIONS[name] as Shape)[4] ?? []);
  for (const parameter of query.keys()) {
    const isKnown =
      name !== undefined &&
      (parameter === subresource ||
        // SDKs add the name of the operation.
        parameter === 'x-id' ||
        further.includes(parameter) ||
        ((name === 'GetObject' || name === 'HeadObject') && parameter.startsWith('response-')));
    if (!isKnown) throw notImplemented(`The parameter ${parameter} of a ${method}`);
  }
  if (name === undefined) throw new S3Error('MethodNotAllowed');
  if (name === 'ListObjectsV2' && query.get('list-type') !== '2')
    throw new S3Error('InvalidArgument', 'Invalid List Type value.');
  return name;
}

const COPIES: ByMethod = { PutObject: 'CopyObject', UploadPart: 'UploadPartCopy' };

const READING = /^(?:Get|Head|List)/;

/** Whether an operation changes nothing. */
export const isReading = (name: OperationName): boolean => READING.test(name);
