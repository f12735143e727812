import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { encodeUriPath } from '../../../s3-protocol/uri-encoding.ts';
import { withBucket } from '../buckets/make-bucket.ts';
import { askDocument } from '../client/ask-document.ts';
import type { S3Request } from '../client/request.ts';
import { askHead } from '../objects/ask-head.ts';
import { md5OfEtag } from '../objects/object-entry.ts';
import { hasTags, tagHeader } from '../objects/object-tags.ts';
import type { Location, S3Store } from '../store.ts';
import { type Completed, MultipartUpload, multipartEtag, toldEtag } from '../upload/multipart.ts';
import { headersToKeep } from '../upload/object-headers.ts';
import { recordLeft } from '../upload/open-upload.ts';
import { runParts } from '../upload/source-parts.ts';
import { type CopiedInParts, type ObjectCopy, proveCopy, proveCopyInParts } from './prove-copy.ts';

/**
 * Copies an object server-side, in parts if it is large; returns the server's report of it. Rejects as `proveCopy`.
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
    const inParts = await copyInParts(store, job, op).catch((error) => asReplaced(job, error));
    return proveCopyInParts(store, job, path, inParts, op);
  }
  const copied = await copyAtOnce(store, job, op).catch((error) => asReplaced(job, error));
  await proveCopy(store, job, path, copied, op);
  return copied;
}

/** Throws the error of a copy; `source-changed` if the condition on its source was not met. */
function asReplaced({ from }: ObjectCopy, error: unknown): never {
  if (!hasCode(error, 'precondition-failed')) throw error;
  const text = `${from.bucket}/${from.key} was replaced since it was listed`;
  throw new SyncerError('source-changed', text, { cause: error });
}

/** The MD5 of a copy: from its ETag, else that of the source. */
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

/** The headers that name the source, on condition that it is unchanged since the listing. */
function copySourceHeaders(store: S3Store, { from, file }: ObjectCopy): Record<string, string> {
  return {
    'x-amz-copy-source': `/${encodeUriPath(`${from.bucket}/${from.key}`)}${versionOf(from)}`,
    ...(file.etag === undefined ? {} : { 'x-amz-copy-source-if-match': `"${file.etag}"` }),
    ...store.settings.encryption.sourceKeyHeaders,
  };
}

function versionOf({ version }: Location): string {
  return version === undefined ? '' : `?versionId=${encodeURIComponent(version)}`;
}

/** Copies a large object by parts of `copy_cutoff`. Metadata and tags are not copied with parts: they are read and sent again. */
async function copyInParts(store: S3Store, job: ObjectCopy, op: Op): Promise<CopiedInParts> {
  const { settings, client } = store;
  const keyHeaders = settings.encryption.keyHeaders;
  const created = { ...(await headersInParts(store, job, op)), ...job.placement };
  const upload = await MultipartUpload.create(store, job.to, created, false, op);
  try {
    const ranges = copyRanges(job.file.size, settings.copyCutoff);
    const parts = await runParts(ranges, settings.uploadConcurrency, op, (range, inner) =>
      upload.copy(
        range.number,
        {
          ...copySourceHeaders(store, job),
          ...keyHeaders,
          'x-amz-copy-source-range': `bytes=${range.from}-${range.to}`,
        },
        inner,
      ),
    );
    parts.sort((a, b) => a.number - b.number);
    const completed = await upload.complete(parts, op);
    return { ...completed, partsEtag: multipartEtag(parts) };
  } catch (error) {
    const isGone = settings.leavePartsOnError || (await upload.abort());
    if (!isGone) await recordLeft(store, job.to, upload.id);
    client.context.signal.throwIfAborted();
    throw error;
  }
}

async function headersInParts(
  store: S3Store,
  { from, replaceHeaders, isTagged }: ObjectCopy,
  op: Op,
): Promise<Record<string, string>> {
  const keyHeaders = store.settings.encryption.keyHeaders;
  const asked =
    replaceHeaders === undefined
      ? (await askHead(store.client, { ...from, headers: keyHeaders }, op)).headers
      : undefined;
  const headers = replaceHeaders ?? headersToKeep(asked ?? {});
  const copiesTags = asked === undefined ? isTagged === true : hasTags(asked);
  // The user may have set other ones.
  return copiesTags ? { ...(await tagHeader(store, from, op)), ...headers } : { ...headers };
}

async function* copyRanges(size: number, partSize: number) {
  for (let number = 1, from = 0; from < size; number++, from += partSize) {
    yield { number, from, to: Math.min(from + partSize, size) - 1 };
  }
}
