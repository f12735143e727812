import {
  createBucket,
  deleteBucket,
  deleteBucketDocument,
  getBucketAcl,
  getBucketDefault,
  getBucketDocument,
  getBucketLocation,
  getBucketVersioning,
  getObjectAcl,
  getObjectLockConfiguration,
  headBucket,
  listBuckets,
  putBucketAcl,
  putBucketDocument,
  putBucketVersioning,
  putObjectAcl,
  putObjectLockConfiguration,
} from './buckets.ts';

import type { Operation } from './call.ts';
import { copyObject, uploadPartCopy } from './copy-object.ts';
import { deleteObject, deleteObjects } from './delete-objects.ts';
import { getObject, getObjectAttributes, headObject } from './get-object.ts';
import { listObjects, listObjectsV2, listObjectVersions } from './list-objects.ts';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  listMultipartUploads,
  listParts,
} from './multipart-uploads.ts';
import {
  getObjectLegalHold,
  getObjectRetention,
  putObjectLegalHold,
  putObjectRetention,
} from './object-lock.ts';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './object-tags.ts';
import type { OperationName } from './operation-name.ts';
import { putObject, uploadPart } from './put-object.ts';

/** The function of each operation. */
export const OPERATIONS: Readonly<Record<OperationName, Operation>> = {
  ListBuckets: listBuckets,
  CreateBucket: createBucket,
  HeadBucket: headBucket,
  DeleteBucket: deleteBucket,
  GetBucketLocation: getBucketLocation,
  GetBucketVersioning: getBucketVersioning,
  PutBucketVersioning: putBucketVersioning,
  GetBucketAcl: getBucketAcl,
  PutBucketAcl: putBucketAcl,
  GetBucketDocument: getBucketDocument,
  PutBucketDocument: putBucketDocument,
  DeleteBucketDocument: deleteBucketDocument,
  GetBucketDefault: getBucketDefault,
  GetObjectLockConfiguration: getObjectLockConfiguration,
  PutObjectLockConfiguration: putObjectLockConfiguration,
  ListObjects: listObjects,
  ListObjectsV2: listObjectsV2,
  ListObjectVersions: listObjectVersions,
  ListMultipartUploads: listMultipartUploads,
  DeleteObjects: deleteObjects,
  GetObject: getObject,
  HeadObject: headObject,
  PutObject: putObject,
  CopyObject: copyObject,
  DeleteObject: deleteObject,
  GetObjectAttributes: getObjectAttributes,
  GetObjectTagging: getObjectTagging,
  PutObjectTagging: putObjectTagging,
  DeleteObjectTagging: deleteObjectTagging,
  GetObjectAcl: getObjectAcl,
  PutObjectAcl: putObjectAcl,
  GetObjectRetention: getObjectRetention,
  PutObjectRetention: putObjectRetention,
  GetObjectLegalHold: getObjectLegalHold,
  PutObjectLegalHold: putObjectLegalHold,
  CreateMultipartUpload: createMultipartUpload,
  UploadPart: uploadPart,
  UploadPartCopy: uploadPartCopy,
  CompleteMultipartUpload: completeMultipartUpload,
  AbortMultipartUpload: abortMultipartUpload,
  ListParts: listParts,
};
