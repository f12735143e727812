import { advanced, type BackendOption, flag, tristate } from '../../../core/options.ts';

/** The options of writing and reading objects. */
export const UPLOAD_OPTIONS: readonly BackendOption[] = [
  advanced('upload_cutoff', 'size', 'Upload files of at least this size in parts. At most 5Gi.', {
    default: '200Mi',
  }),
  advanced(
    'chunk_size',
    'size',
    'Size of the parts, at least 5Mi. Raised for files that need more than max_upload_parts parts. A file of ' +
      'unknown size can have at most max_upload_parts parts.',
    { default: '5Mi' },
  ),
  advanced('max_upload_parts', 'int', 'Maximum number of parts of an upload.', {
    default: '10000',
    min: 1,
    max: 10_000,
  }),
  advanced(
    'upload_concurrency',
    'int',
    'Number of parallel parts of a file; each uses chunk_size of memory.',
    { default: '4', max: 1000 },
  ),
  advanced(
    'copy_cutoff',
    'size',
    'Copy objects of at least this size server-side in parts of this size. At most 5Gi.',
    { default: '4.656Gi' },
  ),
  flag(
    'disable_checksum',
    'Do not compute and store the MD5 of multipart uploads. Large uploads start sooner, but have no hash to ' +
      'compare later. Every part is still verified.',
  ),
  tristate(
    'use_multipart_etag',
    "Verify multipart uploads by their ETag. Empty means the provider's default.",
  ),
  tristate(
    'use_data_integrity_protections',
    'Protect uploads with CRC-32 checksums (large single uploads with a trailing checksum, aws-chunked) and verify ' +
      'downloads, as the AWS SDKs do. Empty means true on Amazon; elsewhere only for large files, and if the server ' +
      'announces support. If the server does not support them, Content-MD5 is used, as with false. ' +
      'Never set it to true for a server that stores aws-chunked bodies undecoded.',
  ),
  tristate(
    'use_multipart_uploads',
    "Upload large files in parts. Empty means the provider's default. Without parts, files of more than 16Mi need " +
      'a known size and MD5, and 5Gi is the most.',
  ),
  tristate(
    'use_already_exists',
    'If the server reports that a new bucket exists, it belongs to another account (true), or that is looked up ' +
      "(false). Empty means the provider's default.",
  ),
  flag(
    'leave_parts_on_error',
    'Keep the parts of an upload that failed. They are billed until they are deleted.',
  ),
  flag('no_check_bucket', 'Never create the bucket on upload: a missing bucket is an error.'),
  flag(
    'no_head',
    'Do not check an uploaded or copied object with HEAD if the response does not prove its content.',
  ),
  flag(
    'no_head_object',
    'Look up single objects in listings, not with HEAD, when a path is opened.',
  ),
];
