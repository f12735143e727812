import {
  advanced,
  type BackendOption,
  flag,
  ignored,
  ignoredFlag,
  option,
  tristate,
} from '../../../core/options.ts';
import { wrongEncoding } from '../../../names/encoding-rules.ts';

/** The options of new objects and buckets. */
export const OBJECT_OPTIONS: readonly BackendOption[] = [
  option(
    'location_constraint',
    'string',
    'Location of new buckets. Empty means the region on Amazon, and the default of other providers.',
  ),
  option(
    'acl',
    'string',
    "Canned ACL of new objects and server-side copies. Empty means the bucket's default.",
    {
      examples: [
        { value: 'private', help: 'Full control for the owner, no access for others.' },
        { value: 'public-read', help: 'Everyone can read.' },
        { value: 'public-read-write', help: 'Everyone can read and write.' },
        { value: 'authenticated-read', help: 'Everyone with an account can read.' },
        { value: 'bucket-owner-read', help: "The bucket's owner can read." },
        { value: 'bucket-owner-full-control', help: "The bucket's owner gets full control too." },
      ],
    },
  ),
  advanced('bucket_acl', 'string', 'Canned ACL of new buckets. Empty means the value of acl.', {
    examples: [
      { value: 'private', help: 'Full control for the owner, no access for others.' },
      { value: 'public-read', help: 'Everyone can list.' },
      { value: 'public-read-write', help: 'Everyone can list and write.' },
      { value: 'authenticated-read', help: 'Everyone with an account can list.' },
    ],
  }),
  option(
    'storage_class',
    'string',
    "Storage class of new objects. Empty means the server's default.",
    {
      examples: [
        { value: 'STANDARD', help: 'For frequent access.', provider: ['AWS'] },
        { value: 'REDUCED_REDUNDANCY', help: 'With less redundancy.', provider: ['AWS'] },
        { value: 'STANDARD_IA', help: 'For infrequent access.', provider: ['AWS'] },
        { value: 'ONEZONE_IA', help: 'For infrequent access, in one zone.', provider: ['AWS'] },
        { value: 'INTELLIGENT_TIERING', help: 'Chosen by the server.', provider: ['AWS'] },
        { value: 'GLACIER', help: 'Archive, minutes to hours to read.', provider: ['AWS'] },
        { value: 'DEEP_ARCHIVE', help: 'Archive, hours to read.', provider: ['AWS'] },
        { value: 'GLACIER_IR', help: 'Archive with immediate access.', provider: ['AWS'] },
      ],
    },
  ),
  option('server_side_encryption', 'string', 'Server-side encryption of new objects.', {
    examples: [
      { value: 'AES256', help: "With the server's own key." },
      { value: 'aws:kms', help: 'With a key of the key management service.' },
    ],
  }),
  option('sse_kms_key_id', 'string', 'ARN of the key for aws:kms.'),
  advanced(
    'sse_customer_algorithm',
    'string',
    'Algorithm for server-side encryption with your own key (SSE-C).',
    { examples: [{ value: 'AES256', help: 'The only algorithm.' }] },
  ),
  advanced('sse_customer_key', 'string', 'The key for SSE-C, 32 characters.', { secret: true }),
  advanced(
    'sse_customer_key_base64',
    'string',
    'The key for SSE-C in base64, instead of sse_customer_key.',
    { secret: true },
  ),
  advanced('sse_customer_key_md5', 'string', 'MD5 of the SSE-C key in base64. Computed if empty.'),
  advanced(
    'object_lock_mode',
    'string',
    'Retain new objects and copies until object_lock_retain_until_date, which must be set too.',
    {
      examples: [
        { value: 'GOVERNANCE', help: 'Users with a special permission can end the retention.' },
        { value: 'COMPLIANCE', help: 'No user can end the retention.' },
        { value: 'copy', help: "The source's mode; needs --metadata." },
      ],
    },
  ),
  advanced(
    'object_lock_retain_until_date',
    'string',
    'When the retention ends. Needs object_lock_mode.',
    {
      examples: [
        { value: '2030-01-01T00:00:00Z', help: 'At a time.' },
        { value: '365d', help: 'This long after the upload.' },
        { value: 'copy', help: "The source's date; needs --metadata." },
      ],
    },
  ),
  advanced('object_lock_legal_hold_status', 'string', 'Legal hold of new objects and copies.', {
    examples: [
      { value: 'ON', help: 'Cannot be deleted until the hold ends.' },
      { value: 'OFF', help: 'No hold.' },
      { value: 'copy', help: "The source's hold; needs --metadata." },
    ],
  }),
  flag(
    'object_lock_set_after_upload',
    'Set retention and legal hold by requests of their own after each upload, for servers that ignore the headers.',
  ),
  tristate(
    'object_lock_supported',
    "Whether the server supports object lock. Empty means the provider's default. If not, locks are refused.",
  ),
  flag(
    'bypass_governance_retention',
    'Delete objects, and end retentions, of the mode GOVERNANCE. Needs the permission.',
  ),
  flag('bucket_object_lock_enabled', 'Create buckets that can lock objects.'),
];

/** The options of listings, and of names as keys. */
export const LISTING_OPTIONS: readonly BackendOption[] = [
  advanced(
    'list_chunk',
    'int',
    'Number of keys per listing page. Most servers return at most 1000.',
    { default: '1000', max: 1_000_000 },
  ),
  advanced('list_version', 'int', 'Version of the list request.', {
    default: '0',
    max: 2,
    examples: [
      { value: '0', help: 'Version 2, or version 1 if the server does not support it.' },
      { value: '1', help: 'Version 1.' },
      { value: '2', help: 'Version 2.' },
    ],
  }),
  tristate(
    'list_url_encode',
    'Request URL-encoded keys in listings, needed for control characters in keys. Empty: request them unless ' +
      'the server refuses.',
  ),
  advanced('encoding', 'string', 'Characters to encode in keys.', {
    default: 'Slash,InvalidUtf8,Dot',
    check: wrongEncoding,
  }),
  flag(
    'directory_bucket',
    'The buckets are directory buckets (S3 Express One Zone), whose names end with --x-s3. They cannot be created or ' +
      'deleted here.',
  ),
  flag(
    'decompress',
    'Decompress objects with Content-Encoding gzip when they are read. Their size and hashes are unknown, and each ' +
      'listed file is looked up by HEAD.',
  ),
  flag(
    'directory_markers',
    'Keep directories, also empty ones, as empty objects whose keys end with a slash.',
  ),
  flag(
    'versions',
    'Show old versions too, each as a file with its time in the name: report-v2026-11-20-103000-000.txt. ' +
      'Deleting a file then deletes that version for good.',
  ),
  advanced(
    'version_at',
    'duration',
    'Show objects as they were at a time, such as 2026-11-20T10:30:00Z, or this long ago, such as 2d. The remote ' +
      'is then read-only.',
    { default: 'off' },
  ),
  flag(
    'version_deleted',
    'With versions, show delete markers too, as empty files. Deleting one restores the object.',
  ),
  tristate(
    'list_versions_oldest_first',
    'The server lists the versions of an object oldest first. This only decides between versions with the same ' +
      'time: others are sorted.',
  ),
];

/** Options of rclone that make no difference to reading and writing. */
export const IDLE_OPTIONS: readonly BackendOption[] = [
  ignored(
    { name: 'download_url', type: 'string', ignoredAt: 'notice' },
    'downloads come from the endpoint.',
  ),
  ignored(
    { name: 'no_system_metadata', type: 'bool', default: 'false', ignoredAt: 'notice' },
    '--metadata copies headers such as Cache-Control.',
  ),
  ignored(
    { name: 'might_gzip', type: 'bool', isTristate: true },
    'compressed responses are never requested.',
  ),
  ignored(
    { name: 'use_accept_encoding_gzip', type: 'bool', isTristate: true },
    'compressed responses are never requested.',
  ),
  ignored(
    { name: 'sign_accept_encoding', type: 'bool', isTristate: true },
    'requests have no Accept-Encoding that a server could change.',
  ),
  ignored(
    { name: 'use_x_id', type: 'bool', isTristate: true },
    'requests have no x-id in their URL.',
  ),
  ignored({ name: 'sdk_log_mode', type: 'string', default: 'Off' }, '--dump shows requests.'),
  ignoredFlag('use_presigned_request', 'uploads are signed in their headers.'),
  ignored(
    { name: 'memory_pool_flush_time', type: 'duration', default: '1m0s' },
    'there is no such pool.',
  ),
  ignoredFlag('memory_pool_use_mmap', 'there is no such pool.'),
  ignoredFlag('disable_http2', 'all requests are HTTP/1.1.'),
];
