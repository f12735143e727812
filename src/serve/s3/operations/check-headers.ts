import type { IncomingHttpHeaders } from 'node:http';
import { checksumOfHeader } from '../body/checksums.ts';
import { OWNER_ID, S3Error } from '../wire/s3-error.ts';

import { header } from './call.ts';
import { isReading, notImplemented, type OperationName } from './operation-name.ts';

/** Amazon's headers that are supported, or can be ignored safely. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    'acl',
    'api-version',
    'bucket-object-lock-enabled',
    'bypass-governance-retention',
    'content-sha256',
    'copy-source',
    'date',
    'decoded-content-length',
    'expected-bucket-owner',
    'if-match-last-modified-time',
    'if-match-size',
    'max-parts',
    'metadata-directive',
    'mp-object-size',
    'object-attributes',
    'optional-object-attributes',
    'part-number-marker',
    'request-payer',
    'sdk-checksum-algorithm',
    'security-token',
    'source-expected-bucket-owner',
    'storage-class',
    'tagging',
    'tagging-directive',
    'te',
    'trailer',
    'user-agent',
    'website-redirect-location',
  ].map((name) => `x-amz-${name}`),
);
const KNOWN_STARTS =
  /^x-amz-(?:meta-|checksum-(?:algorithm|mode|type)$|grant-|object-lock-|copy-source-(?:if-|range$))/;

const WRITES: readonly OperationName[] = ['PutObject', 'CopyObject'];

/** Headers that only these operations support; the conditions also those that read. */
const ONLY_FOR: readonly (readonly [header: RegExp, operations: readonly OperationName[]])[] = [
  [
    /^if-(?:match|none-match|unmodified-since)$/,
    [...WRITES, 'DeleteObject', 'CompleteMultipartUpload'],
  ],
  [/^x-amz-if-match-/, ['DeleteObject']],
  [/^x-amz-(?:object-lock-|tagging$)/, [...WRITES, 'CreateMultipartUpload']],
  [/^x-amz-copy-source-range$/, ['UploadPartCopy']],
  [/^x-amz-copy-source(?:-if-.*)?$/, ['CopyObject', 'UploadPartCopy']],
  [/^content-range$/, []],
];

const WORTH_A_LOOK = /^(?:x-amz-|if-|content-range$)/;

/**
 * Refuses a request whose headers need an unsupported feature: encryption, appending, conditions on other operations.
 * Throws `NotImplemented`, and `AccessDenied` if the expected owner of the bucket is another one.
 */
export function checkHeaders(headers: IncomingHttpHeaders, operation: OperationName): void {
  for (const name in headers) {
    if (!WORTH_A_LOOK.test(name)) continue;
    const isKnown = KNOWN.has(name) || KNOWN_STARTS.test(name) || checksumOfHeader(name);
    if (name.startsWith('x-amz-') && !isKnown) {
      throw notImplemented(`The header ${name}`);
    }
    const limit = ONLY_FOR.find(([names]) => names.test(name));
    if (limit !== undefined && !isReading(operation) && !limit[1].includes(operation)) {
      throw notImplemented(`The header ${name} with this operation`);
    }
  }
  for (const name of ['x-amz-expected-bucket-owner', 'x-amz-source-expected-bucket-owner']) {
    if ((header(headers, name) ?? OWNER_ID) !== OWNER_ID) throw new S3Error('AccessDenied');
  }
}
