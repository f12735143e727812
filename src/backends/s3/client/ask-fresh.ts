import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { type S3Answer, type S3Request, whereOf } from './request.ts';
import type { S3Client } from './s3-client.ts';

/**
 * Asks what is in the store now. An answer that a cache kept for a while (`Age`) is asked for once more, past the cache;
 * rejects with `bad-answer` where that does not help.
 */
export async function askFresh(client: S3Client, request: S3Request, op: Op): Promise<S3Answer> {
  const answer = await client.call(request, op);
  if (!isAged(answer)) return answer;
  const headers = { ...request.headers, 'cache-control': 'no-cache' };
  const fresh = await client.call({ ...request, headers }, op);
  if (!isAged(fresh)) return fresh;
  const what = `cannot ${request.doing} ${whereOf(request)}`;
  const why = `a cache answered with data that is ${fresh.headers['age']} s old`;
  throw new SyncerError('bad-answer', `${what}: ${why}`, {
    advice: 'set the option endpoint to the server itself',
  });
}

function isAged({ headers }: S3Answer): boolean {
  return Number(headers['age'] ?? 0) > 0;
}
