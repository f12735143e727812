import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { readWhole } from '../../../http/read-body.ts';
import { withBucket } from '../buckets/make-bucket.ts';
import type { S3Request } from '../client/request.ts';
import { md5OfEtag } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import { errorInSuccess } from '../upload/error-in-success.ts';
import { stripQuotes } from '../xml/list-page.ts';
import { childText, readXml } from '../xml/read-xml.ts';
import { copyInParts } from './copy-in-parts.ts';
import { type CopyJob, copySourceHeaders } from './copy-job.ts';

/** Lets the store copy an object, in parts where it is large; gives the ETag of the copy. */
export async function copyObject(
  store: S3Store,
  job: CopyJob,
  op: Op,
): Promise<string | undefined> {
  try {
    return job.file.size >= store.settings.copyCutoff
      ? await copyInParts(store, job, op)
      : await copyAtOnce(store, job, op);
  } catch (error) {
    if (!hasCode(error, 'precondition-failed')) throw error;
    const text = `${job.from.bucket}/${job.from.key} was replaced since it was listed`;
    throw new SyncerError('source-changed', text, { cause: error });
  }
}

/** The MD5 of a copy: what its ETag tells, else what is known of the source. */
export function md5OfCopy(etag: string | undefined, source: FileEntry): string | undefined {
  return source.hashes?.md5 ?? md5OfEtag(etag);
}

async function copyAtOnce(store: S3Store, job: CopyJob, op: Op): Promise<string | undefined> {
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
  const call = () =>
    store.client.open(request, op, async (answer) => {
      const text = (await readWhole(answer, 1024 ** 2)).toString('utf8');
      const etag = childText(await readXml(text), 'ETag');
      // A copy that fails late is a success with an error in its body.
      if (etag === undefined) throw await errorInSuccess(text, job.to);
      return stripQuotes(etag);
    });
  return withBucket(store, job.to.bucket, op, call);
}
