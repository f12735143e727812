import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import type { S3Request } from '../client/request.ts';
import { customerKeyHeaders } from '../encryption.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { askHead } from './ask-head.ts';

/** A segment that servers, and what stands before them, take for a way through folders. */
const DOTS = /(?:^|\/)\.\.?(?:\/|$)/;

/** Whether a request with this key in its URL could reach another one. */
export function mayBeRewritten(key: string): boolean {
  return DOTS.test(key);
}

/**
 * Deletes one object; a missing one is none of S3's errors. Where the answer is not the one that S3 has for it, the
 * object is looked for; rejects with `bad-answer` where it is still there.
 */
export async function removeObject(
  store: S3Store,
  bucket: string,
  key: string,
  op: Op,
  more: Pick<S3Request, 'query' | 'headers'> = {},
): Promise<void> {
  if (mayBeRewritten(key)) {
    const text = `cannot delete ${bucket}/${key}: a request for it could reach another object`;
    throw new SyncerError('name-invalid', text);
  }
  const request = { method: 'DELETE', bucket, key, ...more, doing: 'delete' } as const;
  const status = await store.client.call(request, op).then(
    (answer) => answer.status,
    (error) => {
      const isMissing = error instanceof StoreError && error.code === 'file-not-found';
      // Of a version a look at the object tells nothing.
      if (!isMissing || more.query !== undefined) throw error;
      return error.status;
    },
  );
  if (status === 204) return;
  const headers = customerKeyHeaders(store.settings.encryption);
  try {
    await askHead(store.client, { bucket, key, headers }, op);
  } catch (error) {
    if (hasCode(error, 'file-not-found')) return;
    throw error;
  }
  const text = `cannot delete ${bucket}/${key}: it still exists, although the server returned status ${status}`;
  throw new SyncerError('bad-answer', text);
}
