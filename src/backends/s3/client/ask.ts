import { absentIf, SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { type RetryPolicy, requestPolicy } from '../../../core/retry.ts';
import type { HttpAnswer } from '../../http/answer.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { childrenNamed, childText, type XmlElement } from '../../s3-protocol/read-xml.ts';
import { errorOf, StoreError } from '../store-error.ts';
import { decodeKey, readAnswerXml } from '../xml/read-answer.ts';
import { type S3Answer, type S3Request, whereOf, wholeAnswer } from './request.ts';
import type { S3Client } from './s3-client.ts';

/** Requests a document with this root; an error with status 200 is retried. Rejects with `bad-answer` for others. */
export function askDocument(client: S3Client, request: S3Request, root: string, op: Op) {
  return client.open(request, op, async (answer) => {
    const { body, headers } = await wholeAnswer(answer, request);
    return { root: await readRoot(body.toString('utf8'), root, request), headers };
  });
}

/** A request whose response proves nothing is sent once more immediately: in `tries: 2`. */
export const unprovenPolicy: RetryPolicy = {
  ...requestPolicy,
  mayHelp: (error) => error.code === 'bad-answer',
  waitMs: () => undefined,
};

/** The root of a document, which must have this name. Rejects as `askDocument`. */
export async function readRoot(text: string, name: string, request: S3Request) {
  const root = await readAnswerXml(text);
  if (root.name === name) return root;
  const where = whereOf(request);
  const error = errorOf(root);
  if (error === undefined) {
    const text = `cannot ${request.doing} ${where}: the server returned <${root.name}>`;
    throw new SyncerError('bad-answer', text);
  }
  const { code: s3Code, message } = error;
  throw new StoreError({ status: 200, s3Code, message }, request.doing, where);
}

/** A page of a listing that is read as a document. */
export interface ListingPage {
  readonly root: XmlElement;
  readonly headers: HttpHeaders;
  /** Its elements of a name. */
  readonly all: (name: string) => readonly XmlElement[];
  /** A key as it is; `''` if there is none. */
  readonly decode: (text?: string) => string;
}

/** Parameters of a request, not encoded. */
type Query = NonNullable<S3Request['query']>;

/**
 * The pages of a listing, as long as they say that they are not complete. Rejects as `askDocument`, and with an error
 * of `wrong` if a page does not say that, or leads back to an earlier one. `markersOf`: the parameters that request the
 * page after one.
 */
export async function* askPages(
  client: S3Client,
  request: Omit<S3Request, 'method'> & { readonly query: Query },
  name: string,
  markersOf: (page: ListingPage) => Query,
  wrong: (why: string) => SyncerError,
  op: Op,
): AsyncGenerator<ListingPage> {
  const seen = new Set<string>();
  for (let markers: Query = []; ; ) {
    const query = [...request.query, ...markers];
    const answer = await askDocument(client, { method: 'GET', ...request, query }, name, op);
    const { root } = answer;
    const isEncoded = childText(root, 'EncodingType') === 'url';
    const truncated = childText(root, 'IsTruncated')?.trim();
    if (truncated !== 'true' && truncated !== 'false') {
      throw wrong('it does not say whether it is complete');
    }
    const page: ListingPage = {
      ...answer,
      all: (name) => childrenNamed(root, name),
      decode: (text = '') => (isEncoded ? decodeKey(text) : text),
    };
    yield page;
    if (truncated === 'false') return;
    markers = markersOf(page);
    const mark = JSON.stringify(markers);
    if (seen.has(mark)) throw wrong('the next page does not follow the last');
    seen.add(mark);
  }
}

/**
 * Pages of a listing whose entries are deleted while it goes on, each when the next one is there: servers may look for
 * the last entry of a page to continue behind it, and find nothing if it is deleted.
 */
export async function* heldBack<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  const held: T[] = [];
  for await (const page of pages) {
    held.push(page);
    if (held.length > 1) yield held.shift() as T;
  }
  yield* held;
}

/** An object, or a version of it. */
type ObjectAt = Pick<S3Request, 'bucket' | 'version'> & { readonly key: string };

/** Reads an object's headers. Rejects with `file-not-found`, or `bad-answer` without a length, or both ETag and time. */
export async function askHead(
  client: S3Client,
  { bucket, key, version }: ObjectAt,
  op: Op,
  more: Readonly<Record<string, string>> = {},
): Promise<HttpHeaders> {
  const headersSent = { ...client.settings.encryption.keyHeaders, ...more };
  const doing = 'look at';
  const request = { method: 'HEAD', bucket, key, version, headers: headersSent, doing } as const;
  const { status, headers } = await askFresh(client, request, op, (fresh) => fresh);
  const hasLength = /^\d+$/.test(headers['content-length'] ?? '');
  const isTold =
    Boolean(headers['etag']) || !Number.isNaN(Date.parse(headers['last-modified'] ?? ''));
  if (status === 200 && hasLength && isTold) return headers;
  const text = `cannot look up ${bucket}/${key}: the response does not describe an object`;
  throw new SyncerError('bad-answer', text);
}

/** As `askHead`; `undefined` if there is no object. */
export function findHead(client: S3Client, at: ObjectAt, op: Op): Promise<HttpHeaders | undefined> {
  return askHead(client, at, op).catch(absentIf('file-not-found'));
}

/** The answer came from a cache. */
const OLD = Symbol('old');

/** Requests the current state, if need be past a cache (`bad-answer`). `use` is part of what is tried again. */
export async function askFresh<T>(
  client: S3Client,
  request: S3Request,
  op: Op,
  use: (answer: S3Answer) => T | Promise<T>,
): Promise<T> {
  let age: string | undefined;
  const readFresh = async (open: HttpAnswer): Promise<T | typeof OLD> => {
    const answer = await wholeAnswer(open, request);
    age = answer.headers['age'];
    return Number(age ?? 0) > 0 ? OLD : use(answer);
  };
  const fresh = await client.open(request, op, readFresh);
  if (fresh !== OLD) return fresh;
  const headers = { ...request.headers, 'cache-control': 'no-cache' };
  const past = await client.open({ ...request, headers }, op, readFresh);
  if (past !== OLD) return past;
  const what = `cannot ${request.doing} ${whereOf(request)}`;
  const why = `a cache answered with data that is ${age} s old`;
  throw new SyncerError('bad-answer', `${what}: ${why}`, {
    advice: 'set the option endpoint to the server itself',
  });
}
