import type { Op } from '../../../core/remote.ts';
import { customerKeyHeaders } from '../encryption.ts';
import { askHead } from '../objects/ask-head.ts';
import { headersToKeep } from '../objects/metadata.ts';
import type { S3Store } from '../store.ts';
import { multipartEtag } from '../upload/done-part.ts';
import { type Completed, MultipartUpload } from '../upload/multipart.ts';
import { runParts } from '../upload/run-parts.ts';
import { copySourceHeaders, type ObjectCopy } from './copy-job.ts';

/** A copy in parts that the store says it completed. */
export interface CopiedInParts extends Completed {
  /** What Amazon makes of the ETags of the parts. */
  readonly partsEtag: string;
}

/** Copies a large object by parts of `copy_cutoff`. Metadata is not copied with parts: it is read and said again. */
export async function copyInParts(store: S3Store, job: ObjectCopy, op: Op): Promise<CopiedInParts> {
  const { settings, client } = store;
  const keyHeaders = customerKeyHeaders(settings.encryption);
  const headers = job.replaceHeaders ?? (await metadataOf(store, job, op));
  const created = { ...headers, ...job.placement };
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
    if (!settings.leavePartsOnError) await upload.abort();
    client.context.signal.throwIfAborted();
    throw error;
  }
}

async function metadataOf(store: S3Store, { from }: ObjectCopy, op: Op) {
  const headers = customerKeyHeaders(store.settings.encryption);
  return headersToKeep((await askHead(store.client, { ...from, headers }, op)).headers);
}

async function* copyRanges(size: number, partSize: number) {
  for (let number = 1, from = 0; from < size; number++, from += partSize) {
    yield { number, from, to: Math.min(from + partSize, size) - 1 };
  }
}
