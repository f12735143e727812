/** The status and the default text of every error code of the server. */
const S3_ERRORS = {
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed.'],
  AuthorizationQueryParametersError: [400, 'The query parameters of the signature are malformed.'],
  BadDigest: [400, 'The Content-MD5 or checksum you specified did not match what we received.'],
  BadRequest: [400, 'Insufficient information. Origin request header needed.'],
  BucketAlreadyExists: [409, 'The name is taken by something other than a bucket.'],
  BucketAlreadyOwnedByYou: [409, 'The bucket exists already and you own it.'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size.'],
  IncompleteBody: [400, 'The body did not have the number of bytes that its headers announced.'],
  InsufficientStorage: [507, 'The disk of the server is full.'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The access key ID you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid argument'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidBucketState: [409, 'The request is not valid for the state of the bucket.'],
  InvalidDigest: [400, 'The Content-MD5 you specified is not valid.'],
  InvalidPart: [400, 'One or more of the specified parts could not be found.'],
  InvalidPartNumber: [416, 'The requested part number is not satisfiable.'],
  InvalidPartOrder: [400, 'The parts must be listed in ascending order of their numbers.'],
  InvalidRange: [416, 'The requested range is not satisfiable.'],
  InvalidRequest: [400, 'Invalid request'],
  InvalidRetentionPeriod: [400, 'The retention period must be a positive whole number.'],
  InvalidTag: [400, 'The tag provided was not a valid tag.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long.'],
  MalformedTrailerError: [400, 'The request contained trailing data that was not well-formed.'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not fit the operation.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist.'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist.'],
  NoSuchPublicAccessBlockConfiguration: [404, 'The public access block does not exist.'],
  NoSuchObjectLockConfiguration: [404, 'The object has no object lock of this kind.'],
  NoSuchTagSet: [404, 'The TagSet does not exist.'],
  NoSuchUpload: [404, 'The upload does not exist: it was aborted, completed, or never begun.'],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NoSuchWebsiteConfiguration: [404, 'The website configuration does not exist.'],
  NotImplemented: [501, 'A header or parameter you provided implies something not implemented.'],
  NotModified: [304, 'Not Modified'],
  ObjectLockConfigurationNotFoundError: [404, 'The object lock configuration does not exist.'],
  OwnershipControlsNotFoundError: [404, 'The bucket ownership controls were not found.'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold.'],
  ReplicationConfigurationNotFoundError: [404, 'The replication configuration was not found.'],
  RequestTimeTooSkewed: [
    403,
    'The time of the request and the time of the server differ too much.',
  ],
  ServerSideEncryptionConfigurationNotFoundError: [404, 'No encryption configuration was found.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided.',
  ],
  XAmzContentSHA256Mismatch: [400, 'The x-amz-content-sha256 header does not match the body.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

/** An error code of the S3 protocol. */
export type S3ErrorCode = keyof typeof S3_ERRORS;

/** An error sent to the client as an S3 error document. A failure of the server itself is a `SyncerError`. */
export class S3Error extends Error {
  readonly code: S3ErrorCode;
  readonly status: number;
  readonly elements: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;

  /** `details`: the message or status, instead of those of the code; further elements and headers of the response. */
  constructor(
    code: S3ErrorCode,
    details:
      | string
      | {
          readonly message?: string;
          readonly status?: number;
          readonly elements?: Readonly<Record<string, string>>;
          readonly headers?: Readonly<Record<string, string>>;
        } = {},
  ) {
    const more = typeof details === 'string' ? { message: details } : details;
    super(more.message ?? S3_ERRORS[code][1]);
    this.name = 'S3Error';
    this.code = code;
    this.status = more.status ?? S3_ERRORS[code][0];
    this.elements = more.elements ?? {};
    this.headers = more.headers ?? {};
  }
}

/** The error for an unsupported request. */
export function notImplemented(what: string): S3Error {
  return new S3Error('NotImplemented', `${what} is not implemented by this server.`);
}

/** Any thrown value as an `S3Error`; an unexpected error is an `InternalError`. */
export function toS3Error(thrown: unknown): S3Error {
  if (thrown instanceof S3Error) return thrown;
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new S3Error('InsufficientStorage');
  // Clients do not repeat a request that is not implemented.
  if (code === 'EXDEV') {
    return new S3Error(
      'NotImplemented',
      'The key is below another mount than its bucket, where the server writes nothing.',
    );
  }
  // The client is gone.
  if (code === 'ECONNRESET') return new S3Error('IncompleteBody');
  if (code === 'ENAMETOOLONG') return new S3Error('KeyTooLongError');
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR') {
    return new S3Error('AccessDenied', 'The directory of the server does not permit this.');
  }
  return new S3Error('InternalError');
}

const SPECIAL = /[&<>"'\u0000-\u001f\u007f]/;
const SPECIALS = /[&<>"'\u0000-\u001f\u007f]/g;

/** Text inside an element. Control characters become references, as S3 writes them; `encoding-type=url` avoids it. */
export function escapeXml(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIALS, (char) => `&#${char.charCodeAt(0)};`) : text;
}

/** How the names of one response are written: as they are, or URL-encoded (`encoding-type=url`). */
export type WriteName = (name: string) => string;

/** An element with text content. */
export function element(name: string, text: string | number | boolean): string {
  return `<${name}>${typeof text === 'string' ? escapeXml(text) : text}</${name}>`;
}

/** A whole document: `inner` is XML already. */
export function xmlDocument(root: string, inner: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${root}>`;
}

/** A time in XML responses, from milliseconds since the epoch. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** The id of the only owner. */
export const OWNER_ID = 'syncer';

/** The owner as an element of listings. */
export const OWNER = `<Owner><ID>${OWNER_ID}</ID><DisplayName>${OWNER_ID}</DisplayName></Owner>`;
