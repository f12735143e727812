import { hasCode } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { headObject } from '../objects/head-object.ts';
import type { S3Store } from '../store.ts';
import { isRefusedAgain } from '../store-error.ts';
import type { ObjectUpload } from './proven-entry.ts';

/**
 * What the server would have answered if a conditional write was carried out, and only its response was lost: the
 * object has its content and time. Otherwise rejects with the error.
 *
 * @param sent `md5` in hexadecimal, `undefined` if not all was sent; a stream is not repeated by the client, so its
 *   write fails without a response, and would be refused if its writer repeated it
 */
export async function ownAnswer(
  store: S3Store,
  { source }: ObjectUpload,
  sent: { readonly md5: string | undefined; readonly isStream?: boolean },
  thrown: unknown,
  op: Op,
): Promise<{ readonly headers: HttpHeaders }> {
  const { modTime, replaces } = source;
  const mayBeOwn = sent.isStream
    ? replaces !== undefined && hasCode(thrown, 'network', 'timed-out')
    : isRefusedAgain(thrown);
  if (!mayBeOwn || sent.md5 === undefined || op.signal.aborted) throw thrown;
  const there = await headObject(store, source.path, op).catch(() => undefined);
  const isTime = modTime === undefined || there?.modTime === modTime;
  if (there?.etag === undefined || there.hashes?.md5 !== sent.md5 || !isTime) throw thrown;
  const { etag, version } = there;
  // Then nothing shows whether it was written.
  if (sent.isStream && replaces !== 'nothing' && replaces?.etag === etag) throw thrown;
  return { headers: { etag: `"${etag}"`, ...(version && { 'x-amz-version-id': version }) } };
}
