import { releaseBuffer } from '../../../core/buffers.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import { writtenSince } from '../../../core/mod-time.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import type { RecordedPart } from '../../../core/upload-records.ts';
import { type ContentCheck, contentCheck } from '../../../hashes/content-hasher.ts';
import { assertSamePart } from '../../resumed-uploads.ts';
import { type CopyTask, copyPart, plannedParts, unreadParts } from '../delta/copy-parts.ts';
import { type CopyLayout, notePieces } from '../delta/find-delta.ts';
import { toldAt } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { type Completed, multipartEtag } from './multipart.ts';
import { endFailed, type OpenedUpload, openUpload } from './open-upload.ts';
import { holdsOther, lookAfter, type ObjectUpload, writtenEntry } from './proven-entry.ts';
import { putBuffer } from './put-object.ts';
import {
  bothOrNone,
  type PartLayout,
  type PartTask,
  runParts,
  sourceParts,
} from './source-parts.ts';
import { modTimeHeader } from './write-headers.ts';

/** How many parts the store copies in parallel: they take no memory here. */
const COPIES_AT_ONCE = 16;

/** Uploads a file in parts; of unknown size that fits one part, by one PUT. If it fails, parts are deleted or kept. */
export async function uploadParts(
  store: S3Store,
  upload: ObjectUpload,
  layout: PartLayout,
  op: Op,
): Promise<FileEntry> {
  const { source } = upload;
  const { partSize, plan, learned } = layout;
  // An MD5 that the source provides need not be computed again here: its reader detects changes.
  const check = plan?.unread === undefined ? contentCheck(source) : uncheckedContent(source);
  let opened: OpenedUpload | undefined;
  const isStored = (number: number) => opened?.stored.has(number) === true;
  const planned = plan?.unread
    ? unreadParts(plan.unread, plan.stretches)
    : plan && plannedParts(source, plan.stretches, check, isStored);
  const tasks = planned ? inTurn(planned.sent) : sourceParts(source, partSize, check, op, isStored);
  const first = await tasks.next();
  const second = source.size === undefined ? await tasks.next() : undefined;
  const taken = second === undefined ? [first] : [first, second];
  const all: AsyncIterator<PartTask> = {
    next: async () => taken.shift() ?? tasks.next(),
    return: () => tasks.return(undefined),
  };
  if (second?.done === true && first.done !== true) {
    check.finish();
    const { body } = await first.value(op);
    return putBuffer(store, { ...upload, md5: undefined }, body, op);
  }
  const headers = store.headers.object(source, upload.mimeType, upload.md5);
  opened = await openUpload(store, upload, layout, headers, op).catch(async (error) => {
    await tasks.return(undefined);
    throw error;
  });
  const { multipart, isResumed, record } = opened;
  try {
    const sending = { tasks: all, copied: planned?.copied ?? [], layout };
    const parts = await sendParts(store, upload, opened, sending, op);
    await plan?.unread?.finish(multipartEtag(parts), op);
    const { size, hashes } = check.finish();
    const { clock } = store.client.context;
    const startMs = clock.monotonic();
    const conditions = store.headers.conditions(source);
    const own = modTimeHeader(source.modTime);
    const completed = await multipart.complete(parts, op, conditions, own);
    await record?.delete();
    const md5 = upload.md5 ?? hashes.md5;
    const tookMs = clock.monotonic() - startMs;
    const entry = await verified(store, upload, { parts, size, md5, completed, tookMs }, op);
    await notePieces(store, upload, entry, parts, learned);
    return plan === undefined ? entry : { ...entry, sent: plan.sent };
  } catch (error) {
    await endFailed(store, upload, opened, error, op);
    if (!isResumed || !isOfStored(error) || op.signal.aborted) throw error;
    const { emit } = store.client.context;
    const fields = { why: toSyncerError(error).message };
    emit({ type: 'log', level: 'info', path: source.path, code: 'upload-restarted', fields });
  }
  source.onRestart?.();
  return uploadParts(store, upload, layout, op);
}

/** Of a source that is not read as a whole. */
function uncheckedContent({ size = 0 }: WriteSource): ContentCheck {
  return { update() {}, finish: () => ({ size, hashes: {} }) };
}

async function* inTurn<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

/** What `sendParts` sends, and what the store copies itself. */
interface Sending {
  readonly tasks: AsyncIterator<PartTask>;
  readonly copied: readonly CopyTask[];
  readonly layout: PartLayout;
}

async function sendParts(
  store: S3Store,
  { source, sums }: ObjectUpload,
  { multipart, stored, record }: OpenedUpload,
  { tasks, copied, layout: { partSize, plan, startMs = 0 } }: Sending,
  op: Op,
): Promise<RecordedPart[]> {
  const { uploadConcurrency, maxUploadParts } = store.settings;
  const { clock } = store.client.context;
  const fit = Math.floor((op.room ?? Number.POSITIVE_INFINITY) / largestSent(plan, partSize));
  const atOnce = Math.max(1, Math.min(uploadConcurrency, fit));
  const sendMs = clock.monotonic();
  const send = async (task: PartTask, inner: Op) => {
    const { number, body } = await task(inner);
    if (number > maxUploadParts) {
      const text = `longer than ${maxUploadParts} parts; raise chunk_size`;
      throw new SyncerError('too-large', text, { path: source.path });
    }
    let part = stored.get(number);
    if (part !== undefined) assertSamePart(number, part, body, source.path);
    else {
      part = await multipart.put(number, body, inner, sums?.get(number));
      await record?.add(part);
      stored.set(number, part);
    }
    releaseBuffer(body);
    return part;
  };
  if (plan === undefined) return byNumber(await runParts(tasks, atOnce, op, send));
  const sending = async (inner: Op) => {
    const parts = await runParts(tasks, atOnce, inner, send);
    return { parts, ms: clock.monotonic() - sendMs };
  };
  const copying = (inner: Op) =>
    runParts(inTurn(copied), COPIES_AT_ONCE, inner, (task, asked) =>
      copyPart(store, multipart, plan, task, asked),
    );
  // Nothing is under way any more when the upload is aborted.
  const [sent, others] = await bothOrNone(op, sending, copying);
  // Unread bytes would have to be downloaded before they could be sent.
  if (plan.unread !== undefined) return byNumber([...sent.parts, ...others]);
  store.delta.notePace(
    { bytes: source.size ?? 0, ms: clock.monotonic() - startMs },
    { bytes: plan.sent, ms: sent.ms },
  );
  return byNumber([...sent.parts, ...others]);
}

/** The size of the largest part that is sent, in bytes. */
function largestSent(plan: CopyLayout | undefined, partSize: number): number {
  let largest = partSize;
  for (const { length, from } of plan?.stretches ?? [])
    if (from === undefined) largest = Math.max(largest, length);
  return largest;
}

const byNumber = (parts: readonly RecordedPart[]): RecordedPart[] =>
  parts.toSorted((a, b) => a.number - b.number);

/** Whether the stored parts may be the problem: their content is not that of the source, or the server refuses them. */
function isOfStored(error: unknown): boolean {
  if (hasCode(error, 'source-changed')) return true;
  if (!(error instanceof StoreError) || error.retry) return false;
  return error.status >= 400 && error.status < 500 && ![401, 403, 412].includes(error.status);
}

/** The entry, proven by the ETag of the parts or the CRC-32, else looked up; it may be replaced by then. */
async function verified(
  store: S3Store,
  upload: ObjectUpload,
  done: {
    readonly parts: readonly RecordedPart[];
    readonly size: number;
    readonly md5: string | undefined;
    readonly completed: Completed;
    readonly tookMs: number;
  },
  op: Op,
): Promise<FileEntry> {
  const { parts, size, md5, completed, tookMs } = done;
  const { headers, etag, hasCrc32, wrongCrc32 } = completed;
  const { settings } = store;
  const sent = { size, md5, headers };
  const entry = writtenEntry(upload, sent, etag);
  if (wrongCrc32 !== undefined) throw holdsOther(upload, `CRC-32 ${wrongCrc32}`, entry);
  const made = multipartEtag(parts);
  if (etag === made || hasCrc32 === true) return entry;
  const isComparable =
    settings.verifyMultipartEtag && parts.every((part) => part.etag === part.md5);
  let proven = entry;
  if (!settings.noHead) {
    const mayBeReplaced = etag === undefined && isComparable;
    const since = mayBeReplaced ? writtenSince(toldAt(headers).toldAt, tookMs) : undefined;
    const ofParts = { ...sent, parts: { etag: made, told: etag, since } };
    const there = await lookAfter(store, upload, ofParts, op);
    proven = writtenEntry(upload, sent, there.etag);
  }
  if (!isComparable || proven.etag === undefined || proven.etag === made) return proven;
  throw holdsOther(upload, `ETag ${proven.etag}, not ${made}`, proven);
}
