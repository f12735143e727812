import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shownRemote } from '../../core/remote-path.ts';
import { parseEncoding } from '../../names/name-encoding.ts';
import { homeFolder } from '../../system/shell-words.ts';
import { OptionReader } from '../option-reader.ts';
import { resolveEndpoint } from './endpoint.ts';
import { readIbmLogin } from './ibm-iam.ts';
import { endpointUrl, S3_OPTIONS } from './options.ts';
import { type ProviderQuirks, quirksOf } from './provider-quirks.ts';

/** The options of an S3 remote, checked and parsed. Sizes are in bytes. */
export type S3Settings = Readonly<ReturnType<typeof readSettings>>;

/** What directory buckets require: they are created in the console, and have no version 1 of listings. */
const FOR_DIRECTORIES = {
  noCheckBucket: true,
  noHeadObject: false,
  dataIntegrity: true,
  listVersion: 2 as const,
};

const MIN_CHUNK = 5 * 1024 ** 2;
const MAX_SINGLE = 5 * 1024 ** 3;

/**
 * Reads the options of an S3 remote. Throws `config` with the option's name for an invalid value. `env`: source of the
 * region with `env_auth`. `profileRegion`: the region of the shared configuration's profile; used with `env_auth`.
 * `nowMs`: the time from which the age in `version_at` counts.
 */
export function readSettings(
  name: string,
  options: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  profileRegion = '',
  nowMs = 0,
) {
  const remote = shownRemote(name);
  const read = new OptionReader(remote, options, S3_OPTIONS);
  const provider = read.text('provider');
  const quirks = quirksOf(provider);
  const envAuth = read.bool('env_auth');
  const { AWS_REGION: ofEnv, AWS_DEFAULT_REGION: usual } = envAuth ? env : {};
  const given = read.text('region') || ofEnv || usual || (envAuth ? profileRegion : '');
  const region = given || (provider === 'Cloudflare' ? 'auto' : 'us-east-1');
  const isAmazon = provider === 'AWS' || provider === '';
  const usualLocation = isAmazon && region !== 'us-east-1' ? region : '';
  const acl = read.text('acl');
  const directoryBucket = read.bool('directory_bucket');
  const forDirectories: Partial<typeof FOR_DIRECTORIES> = directoryBucket ? FOR_DIRECTORIES : {};
  const pathStyle = quirks.pathStyle === true;
  const endpoint = resolveEndpoint(read, { provider, region, pathStyle });
  // Other servers are often configured as AWS, or without a provider: only its own hosts are believed to be Amazon's.
  const isAmazonHost = /\.amazonaws\.com(\.cn)?$/.test(endpoint.hostname);
  const knowsChecksums = quirks.knowsChecksums === true && isAmazonHost;
  return {
    /** The name that identifies the remote. */
    name,
    /** Its name in messages. */
    remote,
    provider,
    /** Storage classes are shown and set: the provider is named, and has some. */
    hasTiers: provider !== '' && quirks.hasTiers === true,
    endpoint,
    region,
    envAuth,
    ...readKeys(read, envAuth),
    profile: read.text('profile'),
    sharedCredentialsFile: read.text('shared_credentials_file'),
    /** Requests have tokens of IBM Cloud instead of signatures. */
    ibm: readIbmLogin(read, provider),
    role: readRole(read, envAuth),
    /** Requests have signatures of version 2. */
    v2Auth: read.bool('v2_auth') || region === 'other-v2-signature',
    requesterPays: read.bool('requester_pays'),
    locationConstraint: read.text('location_constraint') || usualLocation,
    acl,
    bucketAcl: read.text('bucket_acl') || acl,
    storageClass: read.text('storage_class'),
    encryption: readEncryption(read, quirks.oddEtag === true || directoryBucket),
    /** `undefined`: new objects are not locked. */
    objectLock: readObjectLock(read, quirks.noObjectLock !== true),
    /** New buckets can lock objects. */
    bucketObjectLock: read.bool('bucket_object_lock_enabled'),
    /** Deletions ignore retentions of the mode GOVERNANCE. */
    bypassGovernance: read.bool('bypass_governance_retention'),
    ...readTransferSettings(read, quirks),
    /** Copies of parts from an object that was replaced are refused. */
    heedsCopyConditions: quirks.heedsCopyConditions === true && (!isAmazon || isAmazonHost),
    /** Whether the server supports CRC-32 checksums in headers and trailers; `undefined`: its responses show it. */
    dataIntegrity:
      read.optionalBool('use_data_integrity_protections') ?? (knowsChecksums ? true : undefined),
    listChunk: read.int('list_chunk') || 1000,
    /** 0: version 2 first. */
    listVersion: (read.int('list_version') || quirks.listVersion || 0) as 0 | 1 | 2,
    /** `undefined`: request it until the server refuses. */
    listUrlEncode:
      read.optionalBool('list_url_encode') ?? (quirks.plainListings ? false : undefined),
    ...readShownSettings(read, quirks, nowMs),
    /** Objects with Content-Encoding gzip are read decompressed. */
    decompress: read.bool('decompress'),
    /** Directory buckets (S3 Express): sessions, listings without order, CRC-32 instead of MD5. */
    directoryBucket,
    ...forDirectories,
    encoding: parseEncoding(read.text('encoding')),
  };
}

function readKeys(read: OptionReader, envAuth: boolean) {
  const accessKeyId = read.text('access_key_id');
  const secretAccessKey = read.text('secret_access_key');
  // Half a pair counts as none if the environment may have a whole one, as in rclone.
  if (envAuth && (accessKeyId === '' || secretAccessKey === '')) {
    return { accessKeyId: '', secretAccessKey: '', sessionToken: '' };
  }
  if (accessKeyId === '' && secretAccessKey !== '') {
    throw read.missing('access_key_id', 'although secret_access_key is set: set both, or neither');
  }
  if (accessKeyId !== '' && secretAccessKey === '') {
    throw read.missing('secret_access_key', 'although access_key_id is set: set both, or neither');
  }
  return { accessKeyId, secretAccessKey, sessionToken: read.text('session_token') };
}

function readRole(read: OptionReader, envAuth: boolean) {
  const arn = read.text('role_arn');
  const durationMs = read.duration('role_session_duration');
  if (arn === '') return undefined;
  if (!envAuth && read.text('access_key_id') === '') {
    const why = 'needs credentials: set access_key_id and secret_access_key, or env_auth';
    throw read.error('role_arn', why);
  }
  const sts = read.text('sts_endpoint');
  const stsUrl = sts === '' ? undefined : endpointUrl(sts);
  if (sts !== '' && stsUrl === undefined) {
    throw read.error('sts_endpoint', `not a host or URL: "${sts}"`);
  }
  return {
    arn,
    sessionName: read.text('role_session_name') || 'syncer',
    durationSeconds: durationMs > 0 ? Math.round(durationMs / 1000) : undefined,
    externalId: read.text('role_external_id'),
    /** URL of the server that issues them; `''`: Amazon's. */
    stsEndpoint: stsUrl?.href ?? '',
  };
}

function readTransferSettings(read: OptionReader, quirks: ProviderQuirks) {
  const uploadCutoff = read.size('upload_cutoff');
  const chunkSize = read.size('chunk_size');
  const copyCutoff =
    quirks.noCopyInParts && !read.isSet('copy_cutoff')
      ? Number.POSITIVE_INFINITY
      : Math.floor(read.size('copy_cutoff'));
  const multipartUploads =
    read.optionalBool('use_multipart_uploads') ?? quirks.noMultipartUploads !== true;
  const maxUploadParts = read.int('max_upload_parts');
  if (uploadCutoff < 0 || uploadCutoff > MAX_SINGLE)
    throw read.error('upload_cutoff', 'must be at most 5Gi');
  if (copyCutoff < 0) throw read.error('copy_cutoff', 'must be a size, not off');
  if (chunkSize < MIN_CHUNK || chunkSize > MAX_SINGLE) {
    throw read.error('chunk_size', 'must be between 5Mi and 5Gi');
  }
  return {
    uploadCutoff: multipartUploads ? uploadCutoff : MAX_SINGLE,
    /** The server supports uploads in parts. */
    multipartUploads,
    /** Whether signatures leave out the content; `undefined`: with TLS, and where another checksum covers it. */
    unsignedPayload: read.optionalBool('use_unsigned_payload'),
    /** Whether the error BucketAlreadyExists is only about buckets of others; if not, the bucket is looked up. */
    trustsAlreadyExists: read.optionalBool('use_already_exists') ?? quirks.knowsOwnBuckets === true,
    /** Access points are used in the region of their ARN. */
    useArnRegion: read.bool('use_arn_region'),
    chunkSize: Math.max(chunkSize, quirks.minChunkSize ?? 0),
    maxUploadParts: Math.min(maxUploadParts, quirks.maxUploadParts ?? maxUploadParts),
    uploadConcurrency: read.int('upload_concurrency') || 1,
    // rclone accepts any: parts still have the sizes that servers accept.
    copyCutoff: quirks.noCopyInParts
      ? Math.max(copyCutoff, MIN_CHUNK)
      : Math.min(Math.max(copyCutoff, MIN_CHUNK), MAX_SINGLE),
    disableChecksum: read.bool('disable_checksum'),
    delta: readDelta(read),
    /** Copies of parts from an object work as they should, and cost nothing extra: of any sizes, or all of one. */
    copiesParts: quirks.copiesParts,
    verifyMultipartEtag:
      read.optionalBool('use_multipart_etag') ?? quirks.oddMultipartEtag !== true,
    leavePartsOnError: read.bool('leave_parts_on_error'),
    noCheckBucket: read.bool('no_check_bucket'),
    noHead: read.bool('no_head'),
    noHeadObject: read.bool('no_head_object'),
  };
}

/** Whether uploads copy parts of the object that they replace. Throws `config`. */
function readDelta(read: OptionReader): 'auto' | 'on' | 'off' {
  const value = read.text('delta').toLowerCase() || 'auto';
  if (value === 'auto' || value === 'on' || value === 'off') return value;
  throw read.error('delta', `must be auto, on or off, not "${read.text('delta')}"`);
}

function readShownSettings(read: OptionReader, quirks: ProviderQuirks, nowMs: number) {
  const versions = read.bool('versions');
  const versionAtMs = read.time('version_at', nowMs);
  if (versions && versionAtMs !== undefined) {
    throw read.error('version_at', 'cannot be used with versions');
  }
  return {
    /** Old versions are shown as files of their own. */
    versions,
    /** Objects are shown as they were then, in milliseconds since the epoch; `undefined`: as they are. */
    versionAtMs,
    /** Directories are kept as empty objects whose keys end with a slash. */
    directoryMarkers: read.bool('directory_markers'),
    /** Delete markers are shown with the versions. */
    versionDeleted: read.bool('version_deleted'),
    /** Of versions with the same time, the server lists the oldest first. */
    versionsOldestFirst:
      read.optionalBool('list_versions_oldest_first') ?? quirks.versionsOldestFirst === true,
  };
}

/**
 * The region of a profile in `$AWS_CONFIG_FILE`, else `~/.aws/config`; `''` if there is none, or the file cannot be
 * read, as in the AWS SDKs. `profile`: `''` means `$AWS_PROFILE`, else `default`.
 */
export async function readProfileRegion(profile: string, env: NodeJS.ProcessEnv): Promise<string> {
  const home = homeFolder(env);
  const file = env['AWS_CONFIG_FILE'] || (home && join(home, '.aws', 'config'));
  const text = !file ? '' : await readFile(file, 'utf8').catch(() => '');
  return profileRegion(text, profile || env['AWS_PROFILE'] || 'default');
}

/** The region of a profile in the text of a shared configuration file; `''` if it has none. */
export function profileRegion(text: string, profile: string): string {
  // `[profile default]` wins over `[default]`; other profiles always have the word.
  const named = regionOf(text, `profile ${profile}`);
  return named || (profile === 'default' ? regionOf(text, profile) : '');
}

/** The region of a section. Lines that start with white space belong to the value before them. */
function regionOf(text: string, section: string): string {
  let isWanted = false;
  let region = '';
  for (const line of text.split(/\r?\n/)) {
    const bare = line.replace(/(^|\s)[#;].*$/, '').trimEnd();
    const header = /^\[\s*(.+?)\s*\]$/.exec(bare)?.[1];
    if (header !== undefined) {
      isWanted = header.replace(/\s+/g, ' ').replace(/["']/g, '') === section;
    } else if (isWanted) {
      region = /^region\s*=\s*(.*)$/.exec(bare)?.[1] ?? region;
    }
  }
  return region;
}

/** Reads the `object_lock_*` options, which may be `COPY`; `undefined` if they lock nothing. Throws `config`. */
function readObjectLock(read: OptionReader, supportedByProvider: boolean) {
  const mode = oneOf(read, 'object_lock_mode', ['GOVERNANCE', 'COMPLIANCE']);
  const legalHold = oneOf(read, 'object_lock_legal_hold_status', ['ON', 'OFF']);
  const name = 'object_lock_retain_until_date';
  const given = read.text(name);
  const retainUntil = given.toUpperCase() === 'COPY' ? 'COPY' : given;
  const afterUpload = read.bool('object_lock_set_after_upload');
  const isSupported = read.optionalBool('object_lock_supported') ?? supportedByProvider;
  if (retainUntil !== 'COPY') read.time(name, 0);
  if (retainUntil !== '' && mode === '') {
    throw read.error(name, 'needs object_lock_mode: without both, nothing is retained');
  }
  if (mode !== '' && retainUntil === '') {
    throw read.error('object_lock_mode', `needs ${name}: without both, nothing is retained`);
  }
  if (mode === '' && legalHold === '') return undefined;
  if (!isSupported) {
    const why = 'the provider does not support object lock; set it to true if it does';
    throw read.error('object_lock_supported', why);
  }
  return {
    /** `GOVERNANCE`, `COMPLIANCE`, or `''` for no retention. */
    mode,
    /** A time or a duration; set if `mode` is. */
    retainUntil,
    /** `ON`, `OFF` or `''`. */
    legalHold,
    /** Set by requests of their own after an upload, for servers that ignore the headers. */
    afterUpload,
  };
}

function oneOf(read: OptionReader, name: string, values: readonly string[]): string {
  const value = read.text(name).toUpperCase();
  if (['', 'COPY', ...values].includes(value)) return value;
  throw read.error(name, `must be ${values.join(', ')} or copy, not "${read.text(name)}"`);
}

/** Reads the `server_side_encryption` and `sse_*` options. `hasOddEtags`: no ETag of the server is an MD5. */
function readEncryption(read: OptionReader, hasOddEtags: boolean) {
  const algorithm = read.text('server_side_encryption');
  const kmsKeyId = read.text('sse_kms_key_id');
  const customer = readCustomerKey(read);
  const etagIsNotMd5 = hasOddEtags || algorithm.startsWith('aws:kms') || customer !== undefined;
  const prefixed = (prefix: string) =>
    Object.fromEntries(
      Object.entries(customer ?? {}).map(([name, value]) => [`${prefix}-${name}`, value]),
    );
  const keyHeaders = prefixed('x-amz-server-side-encryption');
  const writeHeaders: Record<string, string> = { ...keyHeaders };
  if (algorithm !== '') writeHeaders['x-amz-server-side-encryption'] = algorithm;
  if (kmsKeyId !== '') writeHeaders['x-amz-server-side-encryption-aws-kms-key-id'] = kmsKeyId;
  return {
    /** `AES256`, `aws:kms` or `''`. */
    algorithm,
    kmsKeyId,
    /** ETags are then not MD5s of the content. */
    etagIsNotMd5,
    /** Headers of requests that write an object: PUT, copy, CreateMultipartUpload. */
    writeHeaders,
    /** Headers of requests that read an object or write a part of one: those of the customer's key. */
    keyHeaders,
    /** Headers that let the server read the source of a copy. */
    sourceKeyHeaders: prefixed('x-amz-copy-source-server-side-encryption'),
    /** The headers of a key sent with every request (SSE-C), without their prefix. */
    customer,
  };
}

function readCustomerKey(read: OptionReader) {
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
