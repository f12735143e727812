import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { type S3Answer, type S3Request, whereOf, wholeAnswer } from '../client/request.ts';
import type { S3Client } from '../client/s3-client.ts';

/** The fields of a request for the headers of an object. */
export type HeadRequest = Pick<S3Request, 'bucket' | 'headers' | 'query' | 'version'> & {
  readonly key: string;
};

/**
 * Reads an object's headers. Rejects with `file-not-found`, or `bad-answer` if the response lacks a length, or both
 * ETag and time.
 */
export async function askHead(client: S3Client, at: HeadRequest, op: Op): Promise<S3Answer> {
  const request = { method: 'HEAD', ...at, doing: 'look at' } as const;
  const answer = await askFresh(client, request, op, (fresh) => fresh);
  const { status, headers } = answer;
  const hasLength = /^\d+$/.test(headers['content-length'] ?? '');
  const isTold =
    Boolean(headers['etag']) || !Number.isNaN(Date.parse(headers['last-modified'] ?? ''));
  if (status === 200 && hasLength && isTold) return answer;
  const text = `cannot look up ${at.bucket}/${at.key}: the response does not describe an object`;
  throw new SyncerError('bad-answer', text);
}

/**
 * Requests the current state. A response from a cache (`Age`) is requested again bypassing it; rejects with
 * `bad-answer` if that does not help.
 *
 * @param use gets the answer, as part of what is tried again if the connection breaks
 */
export async function askFresh<T>(
  client: S3Client,
  request: S3Request,
  op: Op,
  use: (answer: S3Answer) => T | Promise<T>,
): Promise<T> {
  let age: string | undefined;
  const ask = (asked: S3Request) =>
    client.open(asked, op, async (open) => {
      const answer = await wholeAnswer(open, request);
      age = answer.headers['age'];
      return Number(age ?? 0) > 0 ? undefined : { used: await use(answer) };
    });
  const past = () => ({ ...request, headers: { ...request.headers, 'cache-control': 'no-cache' } });
  const fresh = (await ask(request)) ?? (await ask(past()));
  if (fresh !== undefined) return fresh.used;
  const what = `cannot ${request.doing} ${whereOf(request)}`;
  const why = `a cache answered with data that is ${age} s old`;
  throw new SyncerError('bad-answer', `${what}: ${why}`, {
    advice: 'set the option endpoint to the server itself',
  });
}
