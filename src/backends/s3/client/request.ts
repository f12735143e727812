import type { Readable } from 'node:stream';
import { SyncerError } from '../../../core/errors.ts';
import { type HttpAnswer, readWhole } from '../../http/answer.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import type { Trailer } from '../../s3-protocol/chunk-frames.ts';

/** A body that is sent once, as it is read. */
export interface StreamBody {
  readonly stream: Readable;
  /** In bytes. */
  readonly size: number;
  /** A header to follow the body. Only stores that know `aws-chunked` bodies take it, signed requests alone have it. */
  readonly trailer?: Trailer;
}

/** A request to the store, before it is signed. */
export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** `''` for the store itself. */
  readonly bucket: string;
  /** `''` for the bucket itself. */
  readonly key?: string;
  /** A version of the object; the current one by default. */
  readonly version?: string | undefined;
  /** Not encoded. */
  readonly query?: readonly (readonly [string, string])[];
  /** Names in lower case; all are signed. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | StreamBody | undefined;
  /** The SHA-256 of the body in hexadecimal, if it is known. */
  readonly sha256?: string | undefined;
  /** The body waits until the store has agreed to the headers (`Expect: 100-continue`). */
  readonly asksFirst?: boolean;
  /** It creates a session of a directory bucket, so it is signed with the account's own keys. */
  readonly opensSession?: boolean;
  /** What it does, for messages: `list`, `read`, `write`. */
  readonly doing: string;
  /** What it is about as the user knows it, where that is more than bucket and key. */
  readonly about?: string;
}

/** What a request is about, for messages. */
export function whereOf({ bucket, key, about }: S3Request): string {
  if (about !== undefined) return about;
  if (bucket === '') return 'the buckets';
  return key === undefined || key === '' ? `bucket ${bucket}` : `${bucket}/${key}`;
}

/** An answer with its body read. */
export interface S3Answer {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: Buffer;
}

/** Whether the headers of an answer without a body show that it comes from an S3 store, and not from any web server. */
export function isOfStore(headers: HttpHeaders): boolean {
  return Object.keys(headers).some((name) => /^x-(?:amz|goog)-|^x-guploader/.test(name));
}

/** No answer that is read whole is larger, in bytes: a page of 1,000 keys of 1,024 bytes URL-encoded fits. */
const LARGEST_ANSWER = 64 * 1024 ** 2;

const NOTHING = Buffer.alloc(0);

/** Where the body of an answer is no document of a store but a page for people. */
const PAGE = /^\ufeff?\s*<(?:!doctype\s+html|html)[\s>]/i;

/**
 * The answer with its body. An empty `text/html` body is how some servers (Swift) say nothing. Rejects with `bad-answer`
 * for a web page (a proxy, a login page, a wrong endpoint), with `body-cut` for less than the whole.
 */
export async function wholeAnswer(answer: HttpAnswer, request: S3Request): Promise<S3Answer> {
  const { status, headers } = answer;
  if (answer.isBare) return { status, headers, body: NOTHING };
  const body = await readWhole(answer, LARGEST_ANSWER);
  const isPage =
    body.length > 0 &&
    (headers['content-type']?.toLowerCase().startsWith('text/html') === true ||
      PAGE.test(body.toString('latin1', 0, 256)));
  if (!isPage) return { status, headers, body };
  const text = `cannot ${request.doing} ${whereOf(request)}: the response is a web page`;
  const advice = 'check the endpoint, and any proxy or login page in between';
  throw new SyncerError('bad-answer', text, { advice });
}
