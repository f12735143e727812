import { hash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  canonicalRequest,
  credentialScope,
  requestSignature,
  signingKey,
} from '../../src/backends/s3-protocol/signature-v4.ts';
import { canonicalQuery } from '../../src/backends/s3-protocol/uri-encoding.ts';
import { startTestS3, type TestS3 } from './test-s3.ts';

/** A server of directory buckets: what S3 Express requires of requests, before a server that keeps the objects. */
export interface DirectoryBuckets
  extends Pick<TestS3, 'endpoint' | 'accessKeyId' | 'secretAccessKey' | 'region'> {
  /** Keeps the objects; has no login. */
  readonly inner: TestS3;
  /** Every request: `PUT /bucket/key`, with its headers. */
  readonly requests: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[];
  /** How many sessions were created. */
  sessions(): number;
  /** Ends all sessions. */
  expire(): void;
  stop(): Promise<void>;
}

interface Session {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly expiresMs: number;
}

/** A refusal: status, code. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

const REGION = 'us-east-1';
const ACCOUNT = { accessKeyId: 'account-key', secretAccessKey: 'account-secret' };
const LIFETIME_MS = 300_000;

/** Starts a server on a free port. `now`: milliseconds since the epoch, for the sessions. */
export async function startDirectoryBuckets(now: () => number): Promise<DirectoryBuckets> {
  const inner = await startTestS3({ authKeys: [] });
  const sessions = new Map<string, Session>();
  const requests: DirectoryBuckets['requests'] = [];
  let created = 0;

  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '/', headers } = request;
    requests.push({ method, url, headers });
    const { pathname, searchParams } = new URL(url, 'http://server');
    const [, bucket = '', key = ''] = /^\/([^/]*)\/*(.*)$/.exec(pathname) ?? [];
    if (bucket === '' || searchParams.has('session')) {
      checkSignature(request, ACCOUNT);
      if (bucket === '') return response.end(bucketList());
      const token = randomUUID();
      const keys = { accessKeyId: `S${created++}`, secretAccessKey: randomUUID() };
      const session = { bucket, ...keys, expiresMs: now() + LIFETIME_MS };
      sessions.set(token, session);
      return response.end(sessionDocument(session, token));
    }
    const session = sessions.get(String(headers['x-amz-s3session-token']));
    if (session?.bucket !== bucket) throw new Refusal(403, 'AccessDenied');
    if (session.expiresMs <= now()) throw new Refusal(400, 'ExpiredToken');
    checkSignature(request, session);
    checkSupported(request, searchParams, key !== '');
    if (method === 'GET' && searchParams.has('list-type')) {
      return response.end(await unorderedPage(inner, `/${bucket}`, searchParams));
    }
    return forward(inner, request, response);
  };

  const server = createServer((request, response) => {
    take(request, response).catch((error) => {
      request.resume();
      const { status, message } =
        error instanceof Refusal ? error : { status: 500, message: String(error) };
      response.writeHead(status, { 'x-amz-request-id': '1' });
      response.end(`<Error><Code>${message}</Code><Message>${message}</Message></Error>`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ ...ACCOUNT, region: REGION, inner, requests },
    sessions: () => created,
    expire() {
      for (const [token, session] of sessions) sessions.set(token, { ...session, expiresMs: 0 });
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await inner.stop();
    },
  };
}

/** Verifies a signature of version 4 for the service `s3express`. */
function checkSignature(
  { method = '', url = '/', headers }: IncomingMessage,
  keys: Pick<Session, 'accessKeyId' | 'secretAccessKey'>,
): void {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  const [, id, day = '', scope, names = '', given] = parts ?? [];
  if (id !== keys.accessKeyId || scope !== `${REGION}/s3express/aws4_request`) {
    throw new Refusal(403, 'InvalidAccessKeyId');
  }
  const [path = '', query = ''] = url.split('?');
  const pairs = [...new URLSearchParams(query.replaceAll('+', '%2B'))];
  const canonical = canonicalRequest({
    method,
    path,
    query: canonicalQuery(pairs),
    names: names.split(';'),
    headers: Object.fromEntries(
      names.split(';').map((name) => [name, String(headers[name] ?? '')] as const),
    ),
    payload: String(headers['x-amz-content-sha256']),
  });
  const isTokenSigned =
    headers['x-amz-s3session-token'] === undefined || names.includes('x-amz-s3session-token');
  const key = signingKey(keys.secretAccessKey, day, REGION, 's3express');
  const date = String(headers['x-amz-date']);
  const bytes = Buffer.from(canonical, 'latin1');
  const expected = requestSignature(key, date, credentialScope(day, REGION, 's3express'), bytes);
  if (given !== expected || !isTokenSigned) throw new Refusal(403, 'SignatureDoesNotMatch');
}

/** Refuses what directory buckets do not support, by the descriptions of the operations in Amazon's SDK. */
function checkSupported(
  { method, headers }: IncomingMessage,
  query: URLSearchParams,
  isObject: boolean,
): void {
  if (headers['content-md5'] !== undefined) throw new Refusal(400, 'InvalidRequest');
  const parameters = ['acl', 'tagging', 'versioning', 'versions', 'retention', 'legal-hold'];
  if (parameters.some((name) => query.has(name))) throw new Refusal(501, 'NotImplemented');
  if (!isObject && (method === 'PUT' || method === 'DELETE')) throw new Refusal(400, 'InvalidURI');
  const lists = method === 'GET' && !isObject && !query.has('location');
  const isOld = lists && !query.has('list-type') && !query.has('uploads');
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '/';
  const isOdd = (prefix !== '' && !prefix.endsWith('/')) || delimiter !== '/';
  if (isOld || query.has('start-after')) throw new Refusal(501, 'NotImplemented');
  if (lists && isOdd) throw new Refusal(400, 'InvalidArgument');
  const hasChecksum = Object.keys(headers).some((name) => name.startsWith('x-amz-checksum-'));
  if (query.has('delete') && !hasChecksum) throw new Refusal(400, 'InvalidRequest');
}

/** ETags are no MD5s. The same again turns them back. */
const turned = (text: string) =>
  text.replace(/\b[0-9a-f]{32}\b/g, (etag) => [...etag].reverse().join(''));

const turnedIn = (text: string) =>
  text.replace(/<ETag>[^<]*<\/ETag>/g, (element) => turned(element));

async function forward(inner: TestS3, request: IncomingMessage, response: ServerResponse) {
  const { method = '', url = '' } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (
      /^(?:host|connection|authorization|expect|content-length|x-amz-s3session-token)$/.test(name)
    )
      continue;
    const isTag = /if-(?:none-)?match$/.test(name);
    headers.set(name, isTag ? turned(String(value)) : String(value));
  }
  const sent = await buffer(request);
  const isDocument = method === 'POST' && sent.length > 0;
  // The document is no longer the one of this hash.
  if (isDocument) headers.set('x-amz-content-sha256', 'UNSIGNED-PAYLOAD');
  const body = isDocument ? Buffer.from(turnedIn(sent.toString())) : sent;
  const answer = await fetch(`${inner.endpoint}${url}`, {
    ...{ method, headers },
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
  });
  const received = Buffer.from(await answer.arrayBuffer());
  const isXml = answer.headers.get('content-type')?.includes('xml') === true && method !== 'GET';
  const content = isXml ? Buffer.from(turnedIn(received.toString())) : received;
  for (const [name, value] of answer.headers) {
    if (!/^(?:connection|keep-alive|transfer-encoding)$/.test(name)) {
      response.setHeader(name, name === 'etag' ? turned(value) : value);
    }
  }
  response.writeHead(answer.status).end(method === 'HEAD' ? undefined : content);
}

/** A page of a listing in no order, with a token that only this server understands. */
async function unorderedPage(inner: TestS3, path: string, query: URLSearchParams): Promise<string> {
  const items: string[] = [];
  for (let token = ''; ; ) {
    const asked = new URLSearchParams(query);
    asked.delete('continuation-token');
    if (token !== '') asked.set('continuation-token', token);
    asked.set('max-keys', '1000');
    const text = await (await fetch(`${inner.endpoint}${path}?${asked}`)).text();
    const found = text.match(/<(Contents|CommonPrefixes)>.*?<\/\1>/gs);
    items.push(...(found ?? []).map(turnedIn));
    token = /<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? '';
    if (token === '') break;
  }
  items.sort((a, b) => (hash('md5', a) < hash('md5', b) ? -1 : 1));
  const from = Number(query.get('continuation-token') ?? '0');
  const most = Number(query.get('max-keys') ?? '1000');
  const page = items.slice(from, from + most);
  const isLast = from + most >= items.length;
  const next = isLast ? '' : `<NextContinuationToken>${from + most}</NextContinuationToken>`;
  const encoding = query.has('encoding-type') ? '<EncodingType>url</EncodingType>' : '';
  return (
    `<ListBucketResult><KeyCount>${page.length}</KeyCount>${encoding}` +
    `<IsTruncated>${!isLast}</IsTruncated>${next}${page.join('')}</ListBucketResult>`
  );
}

function bucketList(): string {
  const bucket = '<Bucket><Name>data--use1-az4--x-s3</Name></Bucket>';
  const root = 'ListAllMyDirectoryBucketsResult';
  return `<${root}><Buckets>${bucket}</Buckets></${root}>`;
}

function sessionDocument({ accessKeyId, secretAccessKey, expiresMs }: Session, token: string) {
  return (
    `<CreateSessionResult><Credentials><SessionToken>${token}</SessionToken>` +
    `<SecretAccessKey>${secretAccessKey}</SecretAccessKey><AccessKeyId>${accessKeyId}</AccessKeyId>` +
    `<Expiration>${new Date(expiresMs).toISOString()}</Expiration></Credentials></CreateSessionResult>`
  );
}
