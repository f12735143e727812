import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isPassing, SyncerError } from '../core/errors.ts';
import type { Emit } from '../core/events.ts';
import type { Op, WriteSource } from '../core/remote.ts';
import type {
  RecordedPart,
  UploadHead,
  UploadRecord,
  UploadRecords,
  UploadRecordsAccess,
} from '../core/upload-records.ts';

/** An upload before it has an id. */
export type NewUpload = Omit<UploadHead, 'id' | 'how'>;

/** What an upload must agree in to be continued; `undefined` if nothing identifies its source, or it is too small. */
export function resumable(
  source: Pick<WriteSource, 'seekable' | 'fingerprint'>,
  access: UploadRecordsAccess | undefined,
  head: Omit<NewUpload, 'source'>,
): NewUpload | undefined {
  if (!source.seekable || access === undefined || head.size < access.from) return undefined;
  const fingerprint = source.fingerprint?.();
  if (fingerprint === undefined) return undefined;
  // As hashes: the options may have the customer's key.
  const options = head.options && hash('sha256', head.options);
  return { ...head, source: hash('sha256', fingerprint), options };
}

/** The size of a record of an upload that can neither be continued nor, for now, be aborted. */
export const LEFT_SIZE = 0;

/** How the uploads of a server are continued and ended, whose record is given; `path` is that of the file, for the log. */
interface Resuming<T> {
  readonly path: string;
  readonly emit: Emit;
  /** What the server has, or why it cannot be continued. Rejects if the server cannot be reached. */
  readonly look: (record: UploadRecord) => Promise<T | string>;
  readonly end: (record: UploadRecord) => Promise<void>;
}

/**
 * The newest upload to the place of `head` that can be continued, with what the server has of it. The others whose
 * process has ended are ended, and the log says why.
 */
export async function takeResumable<T>(
  records: UploadRecords,
  head: NewUpload,
  { path, emit, look, end }: Resuming<T>,
) {
  let found: { readonly record: UploadRecord; readonly stored: T } | undefined;
  const taken = await records.take(head.store, head.path);
  for (const [index, record] of taken.entries()) {
    const stored =
      (found === undefined ? whyNotResumed(record.head, head) : 'a newer one exists') ??
      (await look(record).catch(async (error) => {
        for (const left of taken.slice(index)) await left.release();
        throw error;
      }));
    if (typeof stored !== 'string') {
      found = { record, stored };
      continue;
    }
    emit({ type: 'log', level: 'info', path, code: 'upload-restarted', fields: { why: stored } });
    await end(record);
  }
  return found;
}

function whyNotResumed(recorded: UploadHead, head: NewUpload): string | undefined {
  if (recorded.size === LEFT_SIZE) return 'an earlier run could not abort it';
  if (recorded.source !== head.source || recorded.size !== head.size)
    return 'the source has changed';
  if (recorded.partSize !== head.partSize) return 'the part size is another one';
  return recorded.options === head.options ? undefined : 'the content or the options are others';
}

/** Logs that an upload is continued, of which the server has this many parts. */
export function logResumed(
  { size, partSize }: NewUpload,
  parts: number,
  bytes: number,
  { path, emit }: Pick<Resuming<unknown>, 'path' | 'emit'>,
): void {
  const percent = Math.floor((100 * bytes) / size);
  const fields = { parts, bytes, of: Math.ceil(size / partSize), percent };
  emit({ type: 'log', level: 'info', path, code: 'upload-resumed', fields });
}

/** Whether an upload that failed may be continued: enough of it is stored, and its content is not the problem. */
export function mayContinue(
  bytes: number,
  access: UploadRecordsAccess | undefined,
  thrown: unknown,
  { signal }: Op,
): boolean {
  return bytes >= (access?.from ?? 0) && (signal.aborted || isPassing(thrown));
}

/** Throws `source-changed` if the source has other bytes now than those of a part that an earlier run has sent. */
export function assertSamePart(
  number: number,
  recorded: Pick<RecordedPart, 'size' | 'md5' | 'crc32'> | undefined,
  body: Buffer,
  path: string,
): void {
  const isSame =
    recorded?.size === body.length &&
    (recorded.crc32 === undefined
      ? hash('md5', body, 'hex') === recorded.md5
      : crc32(body) === recorded.crc32);
  if (isSame) return;
  const text = `part ${number} of the source is not what an earlier run has sent`;
  throw new SyncerError('source-changed', text, { path });
}
