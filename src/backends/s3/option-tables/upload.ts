import type { BackendOption } from '../../../core/options.ts';

/** How objects are written and read. */
export const UPLOAD_OPTIONS: readonly BackendOption[] = [
  {
    name: 'upload_cutoff',
    type: 'size',
    default: '200Mi',
    advanced: true,
    help: 'Files from this size on are uploaded in parts. At most 5Gi.',
  },
  {
    name: 'chunk_size',
    type: 'size',
    default: '5Mi',
    advanced: true,
    help:
      'Size of the parts, at least 5Mi. It is raised for files that would need more than max_upload_parts. A file of ' +
      'unknown size can have max_upload_parts of them at most.',
  },
  {
    name: 'max_upload_parts',
    type: 'int',
    default: '10000',
    advanced: true,
    help: 'Most parts in one upload.',
  },
  {
    name: 'upload_concurrency',
    type: 'int',
    default: '4',
    advanced: true,
    help: 'Parts of one file that are sent at once; each takes chunk_size of memory.',
  },
  {
    name: 'copy_cutoff',
    type: 'size',
    default: '4.656Gi',
    advanced: true,
    help: 'Objects from this size on are copied by the store in parts of this size. At most 5Gi.',
  },
  {
    name: 'disable_checksum',
    type: 'bool',
    default: 'false',
    advanced: true,
    help:
      'Do not compute the MD5 of files that go up in parts beforehand and do not store it with the object. Large uploads ' +
      'start sooner; later there is no hash to check them by. Every part is still verified.',
  },
  {
    name: 'use_multipart_etag',
    type: 'bool',
    isTristate: true,
    advanced: true,
    help: 'Verify uploads in parts by the ETag the store gives them. Empty: as is known of the provider.',
  },
  {
    name: 'use_data_integrity_protections',
    type: 'bool',
    advanced: true,
    help:
      'Protect uploads by CRC-32 checksums, large single ones by a checksum that follows the data (aws-chunked), and ' +
      'verify what is read by them, as the AWS SDKs do. Empty: on Amazon; elsewhere only for large files, and where the ' +
      'store says by itself that it knows them. Where it turns out not to know them, Content-MD5 is used as with false. ' +
      'Never set it to true for a store that keeps aws-chunked bodies as they come.',
  },
  {
    name: 'leave_parts_on_error',
    type: 'bool',
    default: 'false',
    advanced: true,
    help: 'Keep the parts of an upload that failed. They cost money until somebody removes them.',
  },
  {
    name: 'no_check_bucket',
    type: 'bool',
    default: 'false',
    advanced: true,
    help: 'Never make the bucket on upload: a missing one is an error.',
  },
  {
    name: 'no_head',
    type: 'bool',
    default: 'false',
    advanced: true,
    help: 'Do not ask for an uploaded object again where the answer to the upload does not prove its content.',
  },
  {
    name: 'no_head_object',
    type: 'bool',
    default: 'false',
    advanced: true,
    help: 'Look for single objects in listings, not by HEAD, when a path is opened.',
  },
];
