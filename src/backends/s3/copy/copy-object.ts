import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { withBucket } from '../buckets/make-bucket.ts';
import { askDocument } from '../client/ask-document.ts';
import type { S3Request } from '../client/request.ts';
import { md5OfEtag } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import { type Completed, toldEtag } from '../upload/multipart.ts';
import { copyInParts } from './copy-in-parts.ts';
import { copySourceHeaders, type ObjectCopy } from './copy-job.ts';
import { proveCopy, proveCopyInParts } from './prove-copy.ts';

/**
 * Lets the store copy an object, in parts where it is large; gives what the store tells of the copy. Rejects as
 * `proveCopy`.
 *
 * @param path of the copy
 */
export async function copyObject(
  store: S3Store,
  job: ObjectCopy,
  path: string,
  op: Op,
): Promise<Completed> {
  if (job.file.size >= store.settings.copyCutoff) {
    const inParts = await unlessReplaced(job, copyInParts(store, job, op));
    return proveCopyInParts(store, job, path, inParts, op);
  }
  const copied = await unlessReplaced(job, copyAtOnce(store, job, op));
  await proveCopy(store, job, path, copied, op);
  return copied;
}

async function unlessReplaced<T>({ from }: ObjectCopy, copying: Promise<T>): Promise<T> {
  try {
    return await copying;
  } catch (error) {
    if (!hasCode(error, 'precondition-failed')) throw error;
    const text = `${from.bucket}/${from.key} was replaced since it was listed`;
    throw new SyncerError('source-changed', text, { cause: error });
  }
}

/** The MD5 of a copy: what its ETag tells, else what is known of the source. */
export function md5OfCopy(etag: string | undefined, source: FileEntry): string | undefined {
  return source.hashes?.md5 ?? md5OfEtag(etag);
}

async function copyAtOnce(store: S3Store, job: ObjectCopy, op: Op): Promise<Completed> {
  const directive = job.replaceHeaders === undefined ? 'COPY' : 'REPLACE';
  const request: S3Request = {
    method: 'PUT',
    ...job.to,
    headers: {
      ...job.replaceHeaders,
      ...job.placement,
      ...copySourceHeaders(store, job),
      'x-amz-metadata-directive': directive,
    },
    doing: 'copy to',
  };
  const call = async () => {
    const { root, headers } = await askDocument(store.client, request, 'CopyObjectResult', op);
    return { headers, etag: toldEtag(root, request) };
  };
  return withBucket(store, job.to.bucket, op, call);
}
