import { SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { askFresh } from '../client/ask-fresh.ts';
import type { S3Answer, S3Request } from '../client/request.ts';
import type { S3Client } from '../client/s3-client.ts';

/** What a request for the headers of an object is made of. */
export type HeadRequest = Pick<S3Request, 'bucket' | 'headers'> & { readonly key: string };

/**
 * Asks for the headers of an object. Rejects with `file-not-found`, or `bad-answer` where the answer is that of no
 * object: it tells its length, and by an ETag or a time which one it is.
 */
export async function askHead(client: S3Client, at: HeadRequest, op: Op): Promise<S3Answer> {
  const answer = await askFresh(client, { method: 'HEAD', ...at, doing: 'look at' }, op);
  const { status, headers } = answer;
  const hasLength = /^\d+$/.test(headers['content-length'] ?? '');
  const isTold =
    Boolean(headers['etag']) || !Number.isNaN(Date.parse(headers['last-modified'] ?? ''));
  if (status === 200 && hasLength && isTold) return answer;
  const text = `cannot look at ${at.bucket}/${at.key}: the response describes no object`;
  throw new SyncerError('bad-answer', text);
}
