import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import type { XmlElement } from '../../s3-protocol/read-xml.ts';
import { errorOf, StoreError } from '../store-error.ts';
import { readAnswerXml } from '../xml/read-answer-xml.ts';
import { type S3Request, whereOf, wholeAnswer } from './request.ts';
import type { S3Client } from './s3-client.ts';

/** An answer that is a document. */
export interface DocumentAnswer {
  readonly root: XmlElement;
  readonly headers: HttpHeaders;
}

/**
 * Sends a request whose answer is a document with this root. An error document with status 200 is that error, and
 * retried. Rejects with `bad-answer` for anything else.
 */
export function askDocument(
  client: S3Client,
  request: S3Request,
  root: string,
  op: Op,
): Promise<DocumentAnswer> {
  return askText(client, request, op, async (text, headers) => {
    return { root: await readRoot(text, root, request), headers };
  });
}

/** As `askDocument`, for those who read the text themselves. */
export function askText<T>(
  client: S3Client,
  request: S3Request,
  op: Op,
  read: (text: string, headers: HttpHeaders) => Promise<T>,
): Promise<T> {
  return client.open(request, op, async (answer) => {
    const { body, headers } = await wholeAnswer(answer, request);
    return read(body.toString('utf8'), headers);
  });
}

/** The root of a document, which must have this name. Rejects as `askDocument`. */
export async function readRoot(
  text: string,
  name: string,
  request: S3Request,
): Promise<XmlElement> {
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
