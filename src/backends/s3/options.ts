import {
  advanced,
  type BackendOption,
  flag,
  ignored,
  ignoredFlag,
  option,
  tristate,
} from '../../core/options.ts';
import { wrongEncoding } from '../../names/name-encoding.ts';
import { placesOf } from './provider-places.ts';
import { PROVIDERS } from './provider-quirks.ts';

/** Keys and regions are one word: blanks come from copying too much. */
const withoutBlanks = (text: string) => (/\s/.test(text) ? 'It contains a space.' : undefined);

/** The URL of an endpoint, which may be a host alone; `undefined` for anything else. Without a scheme it is https. */
export function endpointUrl(text: string): URL | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || url.hostname === '') return undefined;
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}

const notAnAddress = (text: string) =>
  endpointUrl(text) === undefined ? 'Enter a host, or a URL with http or https.' : undefined;

const text = (name: string, help: string, more?: Partial<BackendOption>) =>
  advanced(name, 'string', help, more);

const ignoredTristate = (name: string, why: string) =>
  ignored({ name, type: 'bool', isTristate: true }, why);

/** The options of an S3 remote, under rclone's names, in the order of the questions. */
export const S3_OPTIONS: readonly BackendOption[] = [
  // Server and account.
  option('provider', 'string', 'S3 provider. Sets the URL style and known workarounds.', {
    examples: PROVIDERS.map(({ name, help }) => ({ value: name, help })),
  }),
  option(
    'env_auth',
    'bool',
    'Get the credentials from the environment: variables, the shared credentials file, web identity, single ' +
      'sign-on, container or instance metadata. Used only where access_key_id and secret_access_key are empty.',
    {
      isLogin: true,
      default: 'false',
      examples: [
        {
          value: 'false',
          help: 'Only the keys of this section are used; without keys, requests are anonymous.',
        },
        { value: 'true', help: 'Get the credentials from the environment.' },
      ],
    },
  ),
  option(
    'access_key_id',
    'string',
    'Access key ID. Leave empty for anonymous access or credentials from the environment.',
    { example: 'AKIAIOSFODNN7EXAMPLE', check: withoutBlanks },
  ),
  option(
    'secret_access_key',
    'string',
    'Secret access key. Leave empty for anonymous access or credentials from the environment.',
    { secret: true, check: withoutBlanks },
  ),
  {
    name: 'region',
    type: 'string',
    example: 'eu-central-1',
    check: withoutBlanks,
    help:
      'Region. Empty means us-east-1, which most providers accept; with env_auth first ' +
      '$AWS_REGION, $AWS_DEFAULT_REGION and the region of the profile in $AWS_CONFIG_FILE, else ~/.aws/config.',
    get examples() {
      return placesOf('region');
    },
  },
  {
    name: 'endpoint',
    isAddress: true,
    type: 'string',
    example: 'https://s3.example.com',
    check: notAnAddress,
    help:
      'Endpoint: a host, with or without scheme and port: s3.example.com, http://127.0.0.1:9000. The default scheme ' +
      'is https. Leave empty for Amazon.',
    get examples() {
      return placesOf('endpoint');
    },
  },
  text('session_token', 'Session token of temporary keys.', { secret: true }),
  text(
    'profile',
    'Profile in the shared credentials and configuration files. Empty means $AWS_PROFILE, else "default". Needs env_auth.',
    { isLogin: true },
  ),
  text(
    'shared_credentials_file',
    'Path of the shared credentials file. Empty means $AWS_SHARED_CREDENTIALS_FILE, else ~/.aws/credentials. Needs env_auth.',
    { isPath: true },
  ),
  text(
    'role_arn',
    'Role to assume with the credentials. Its temporary credentials are used for all requests, and renewed before ' +
      'they expire.',
    { isLogin: true, example: 'arn:aws:iam::123456789012:role/backup' },
  ),
  text(
    'role_session_name',
    'Name of the session of the role, as logs of the server show it. Empty means "syncer".',
  ),
  advanced(
    'role_session_duration',
    'duration',
    "Duration of a session of the role, such as 1h. Empty means the server's default.",
  ),
  text('role_external_id', 'External ID, if the role requires one.'),
  text(
    'ibm_api_key',
    'API key of IBM Cloud (provider IBMCOS), which gets tokens of IAM. They are used instead of keys, and renewed ' +
      'before they expire. Needs ibm_resource_instance_id.',
    { secret: true, check: withoutBlanks },
  ),
  text('ibm_resource_instance_id', 'Instance of the object storage at IBM Cloud, for ibm_api_key.'),
  text(
    'ibm_iam_endpoint',
    'Server that issues the tokens of ibm_api_key. Empty means https://iam.cloud.ibm.com.',
    {
      isAddress: true,
      example: 'https://private.iam.cloud.ibm.com',
      check: notAnAddress,
    },
  ),
  flag(
    'v2_auth',
    'Sign requests with version 2, for old servers. The region other-v2-signature means the same.',
  ),
  text(
    'sts_endpoint',
    'Endpoint that issues the credentials of role_arn. Empty means $AWS_ENDPOINT_URL_STS, else that of Amazon.',
    { isAddress: true, example: 'https://sts.example.com' },
  ),
  advanced(
    'force_path_style',
    'bool',
    "Put the bucket in the URL path (true) or the host name (false). Empty means the provider's default. A " +
      'host that is an IP address always uses the path.',
  ),
  flag(
    'use_accelerate_endpoint',
    "Use Amazon's accelerated endpoint. Refused with an endpoint of its own.",
  ),
  flag('use_dual_stack', "Use Amazon's endpoints with IPv6. Refused with an endpoint of its own."),
  flag(
    'use_arn_region',
    'Use an access point, named by its ARN instead of a bucket, in the region of the ARN. Without it another region ' +
      'than that of the remote is refused.',
  ),
  tristate(
    'use_unsigned_payload',
    'Leave the content of uploads out of signatures (true), or sign it where it is in memory (false). Empty: left ' +
      'out with TLS, and where another checksum covers it.',
  ),
  flag('requester_pays', 'Accept charges for requests to requester-pays buckets.'),
  // New objects and buckets.
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
  text('bucket_acl', 'Canned ACL of new buckets. Empty means the value of acl.', {
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
  text(
    'sse_customer_algorithm',
    'Algorithm for server-side encryption with your own key (SSE-C).',
    { examples: [{ value: 'AES256', help: 'The only algorithm.' }] },
  ),
  text('sse_customer_key', 'The key for SSE-C, 32 characters.', { secret: true }),
  text('sse_customer_key_base64', 'The key for SSE-C in base64, instead of sse_customer_key.', {
    secret: true,
  }),
  text('sse_customer_key_md5', 'MD5 of the SSE-C key in base64. Computed if empty.'),
  text(
    'object_lock_mode',
    'Retain new objects and copies until object_lock_retain_until_date, which must be set too.',
    {
      examples: [
        { value: 'GOVERNANCE', help: 'Users with a special permission can end the retention.' },
        { value: 'COMPLIANCE', help: 'No user can end the retention.' },
        { value: 'copy', help: "The source's mode; needs --metadata." },
      ],
    },
  ),
  text('object_lock_retain_until_date', 'When the retention ends. Needs object_lock_mode.', {
    examples: [
      { value: '2030-01-01T00:00:00Z', help: 'At a time.' },
      { value: '365d', help: 'This long after the upload.' },
      { value: 'copy', help: "The source's date; needs --metadata." },
    ],
  }),
  text('object_lock_legal_hold_status', 'Legal hold of new objects and copies.', {
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
  // Writing and reading objects.
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
  advanced(
    'delta',
    'string',
    'Send only the changed parts of a large file that replaces an object; the server copies the others from that ' +
      'object. auto: files of at least 64Mi, with providers that are known to support it without a fee and in buckets ' +
      'that "syncer backend probe" has tried.',
    {
      default: 'auto',
      examples: [
        {
          value: 'auto',
          help: 'Files of at least 64Mi, with known providers and in probed buckets.',
        },
        { value: 'on', help: 'Files of more than 16Mi, with all providers.' },
        { value: 'off', help: 'Send whole files.' },
      ],
    },
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
  // Listings, and names as keys.
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
  text('encoding', 'Characters to encode in keys.', {
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
  // Options of rclone that make no difference here.
  ignored(
    { name: 'download_url', type: 'string', ignoredAt: 'notice' },
    'downloads come from the endpoint.',
  ),
  ignored(
    { name: 'no_system_metadata', type: 'bool', default: 'false', ignoredAt: 'notice' },
    '--metadata copies headers such as Cache-Control.',
  ),
  ignoredTristate('might_gzip', 'compressed responses are never requested.'),
  ignoredTristate('use_accept_encoding_gzip', 'compressed responses are never requested.'),
  ignoredTristate(
    'sign_accept_encoding',
    'requests have no Accept-Encoding that a server could change.',
  ),
  ignoredTristate('use_x_id', 'requests have no x-id in their URL.'),
  ignored({ name: 'sdk_log_mode', type: 'string', default: 'Off' }, '--dump shows requests.'),
  ignoredFlag('use_presigned_request', 'uploads are signed in their headers.'),
  ignored(
    { name: 'memory_pool_flush_time', type: 'duration', default: '1m0s' },
    'there is no such pool.',
  ),
  ignoredFlag('memory_pool_use_mmap', 'there is no such pool.'),
  ignoredFlag('disable_http2', 'all requests are HTTP/1.1.'),
];
