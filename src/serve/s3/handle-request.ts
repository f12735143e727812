import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { guardFromPages } from '../guard-from-pages.ts';
import { type Authenticate, openPresigned } from './auth/authenticate.ts';
import { checksumOfHeader } from './body/checksums.ts';
import { openPayload } from './body/payload.ts';
import { corsHeaders } from './operations/buckets.ts';
import { checkVersionId, header } from './operations/call.ts';
import { isReading, OPERATIONS, type OperationName, operationName } from './operations/index.ts';
import { checkKey } from './operations/put-object.ts';
import type { BucketStore } from './store/bucket-store.ts';
import { type Answer, errorAnswer, sendAnswer } from './wire/answer.ts';
import { notImplemented, OWNER_ID, S3Error, toS3Error } from './wire/s3-error.ts';
import { parseQuery, queryFromPairs, uriDecode } from './wire/uri-encoding.ts';

export interface RequestReport {
  readonly method: string;
  readonly url: string;
  /** Absent if the request matches no operation. */
  readonly operation?: OperationName;
  readonly bucket: string;
  readonly key: string;
  readonly status: number;
  /** The S3 error code of a refusal. */
  readonly code?: string;
  /** From the first byte of the request to the last of the response, in milliseconds. */
  readonly tookMs: number;
  /** A failure of the server itself. */
  readonly failure?: unknown;
}

const FAULTS = {
  'unknown-host':
    'A server without keys takes requests for an IP address or localhost only. Use one of these, or start it with --auth-key.',
  'other-origin': 'A server without keys takes no changes from web pages that no CORS rule allows.',
};

/** Never rejects. `expectsContinue`: the client waits for `100 Continue` before it sends the body. */
export async function handleRequest(
  services: {
    readonly store: BucketStore;
    readonly authenticate: Authenticate;
    readonly region: string;
    readonly readOnly: boolean;
    /** The server's own name, if it accepts requests without keys. */
    readonly openAt: string | undefined;
    /** Milliseconds since the epoch. */
    readonly now: () => number;
    readonly report: (report: RequestReport) => void;
  },
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Promise<void> {
  const start = performance.now();
  const { method = 'GET', url = '/' } = request;
  const requestId = randomUUID().replaceAll('-', '').slice(-16).toUpperCase();
  const common: Record<string, string> = { 'x-amz-request-id': requestId, server: 'syncer' };
  let address = { bucketName: '', key: '' };
  let operation: OperationName | undefined;
  let refusal: S3Error | undefined;
  let failure: unknown;
  let answer: Answer;
  let waits = expectsContinue;
  try {
    const read = readAddress(url, request.headers.host);
    address = read;
    const { rawPath, pairs, bucketName, key, virtualBucket } = read;
    const allowed = await corsHeaders(services.store, bucketName, method, request.headers);
    if (services.openAt !== undefined) {
      const fault = guardFromPages(request, [services.openAt], allowed !== undefined);
      if (fault !== undefined) throw new S3Error('AccessDenied', FAULTS[fault]);
    }
    Object.assign(common, allowed);
    if (method === 'OPTIONS') {
      if (request.headers.origin === undefined) throw new S3Error('BadRequest');
      if (header(request.headers, 'access-control-request-method') === undefined) {
        const message = 'Access-Control-Request-Method header needed.';
        throw new S3Error('BadRequest', message);
      }
      if (allowed === undefined) throw new S3Error('AccessForbidden');
      answer = { headers: allowed };
    } else {
      // It is signed inside its body, which is not supported: refused before the check of its signature.
      const isForm = request.headers['content-type']?.startsWith('multipart/form-data');
      if (method === 'POST' && key === '' && isForm) throw notImplemented('An upload by a form');
      const asked = { method, rawPath, virtualBucket, query: pairs, headers: request.headers };
      const identity = services.authenticate(asked);
      const { headers, query } = openPresigned(read.query, request.headers);
      operation = operationName({ method, bucketName, key, query, headers });
      checkHeaders(headers, operation);
      checkKey(key);
      checkVersionId(query.get('versionId'));
      if (services.readOnly && !isReading(operation)) {
        throw new S3Error('AccessDenied', 'This server is read-only.');
      }
      const payload = () => {
        if (waits) response.writeContinue();
        waits = false;
        return openPayload(request, headers, identity);
      };
      const { store, region, now } = services;
      const call = { method, bucketName, key, query, headers, store, region, now, payload };
      const [run] = OPERATIONS[operation];
      answer = await run(call);
    }
  } catch (error) {
    refusal = toS3Error(error);
    if (refusal.status >= 500 && !(error instanceof S3Error)) {
      failure = refusal.code === 'InternalError' ? error : refusal;
    }
    answer = errorAnswer(refusal, url, requestId);
  }
  // A client without a `100 Continue` may send the body or not: the connection cannot be used again.
  if (waits) common['connection'] = 'close';
  try {
    await sendAnswer(request, response, answer, common);
  } catch (error) {
    failure ??= error;
    response.destroy();
  }
  // Skips the rest of a refused body, so that the client reads the response.
  if (!request.complete) request.resume();
  services.report({
    method,
    url,
    bucket: address.bucketName,
    key: address.key,
    status: answer.status ?? 200,
    tookMs: performance.now() - start,
    ...(operation && { operation }),
    ...(refusal && { code: refusal.code }),
    ...(failure !== undefined && { failure }),
  });
}

/**
 * The bucket (`virtualBucket` if the host names it), key and query of a request. The bucket is the first segment of the
 * path, or before `.localhost` in the host (`photos.localhost:8080`). Throws `InvalidURI`, also for a key without a
 * bucket: that is no request for the list of buckets.
 */
export function readAddress(url: string, host: string | undefined) {
  const question = url.indexOf('?');
  const target = question < 0 ? url : url.slice(0, question);
  // A client behind a proxy sends `http://host/path`.
  const sent = target.startsWith('/') ? target : /^[a-z]+:\/\/[^/]*(\/.*)?$/i.exec(target)?.[1];
  const rawPath = sent ?? '/';
  const pairs = parseQuery(question < 0 ? '' : url.slice(question + 1));
  const path = uriDecode(rawPath).slice(1);
  const virtualBucket = /^(.+)\.localhost(?::\d+)?$/i.exec(host ?? '')?.[1];
  const common = { rawPath, pairs, query: queryFromPairs(pairs) };
  if (virtualBucket !== undefined) {
    return { ...common, bucketName: virtualBucket, virtualBucket, key: path };
  }
  const slash = path.indexOf('/');
  if (slash === 0 && path !== '/') throw new S3Error('InvalidURI');
  const [bucketName, key] = slash < 0 ? [path, ''] : [path.slice(0, slash), path.slice(slash + 1)];
  return { ...common, bucketName, virtualBucket, key };
}

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

/** Throws `NotImplemented` for headers of unsupported features, `AccessDenied` if another owner is expected. */
function checkHeaders(headers: IncomingHttpHeaders, operation: OperationName): void {
  for (const name in headers) {
    if (!WORTH_A_LOOK.test(name)) continue;
    const isKnown = KNOWN.has(name) || KNOWN_STARTS.test(name) || checksumOfHeader(name);
    if (name.startsWith('x-amz-') && !isKnown) throw notImplemented(`The header ${name}`);
    const limit = ONLY_FOR.find(([names]) => names.test(name));
    if (limit !== undefined && !isReading(operation) && !limit[1].includes(operation)) {
      throw notImplemented(`The header ${name} with this operation`);
    }
  }
  for (const name of ['x-amz-expected-bucket-owner', 'x-amz-source-expected-bucket-owner']) {
    if ((header(headers, name) ?? OWNER_ID) !== OWNER_ID) throw new S3Error('AccessDenied');
  }
}
