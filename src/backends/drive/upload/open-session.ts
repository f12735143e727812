import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { Op, WriteSource } from '../../../core/remote.ts';
import type { RecordedPart, UploadHead, UploadRecord } from '../../../core/upload-records.ts';
import { isPassing, typedPath } from '../../../kit/passing-failure.ts';
import type { propertiesOf } from '../change/set-mod-time.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import { type ItemAddress, requestPath } from '../items/item-address.ts';
import { type Patience, UploadSession } from './upload-session.ts';
import type { WriteCondition } from './write-condition.ts';

/** A file to upload in a session. */
export interface SessionUpload {
  readonly source: WriteSource;
  /** In bytes, above 0. */
  readonly size: number;
  readonly address: ItemAddress;
  readonly condition: WriteCondition;
  readonly patience: Patience;
  /** Set with the content. */
  readonly properties: Awaited<ReturnType<typeof propertiesOf>>;
}

/** A session that fragments can be sent in. */
export interface OpenedSession {
  readonly session: UploadSession;
  /** The fragments that were sent or are being sent, by number from 1; empty if they are not recorded. */
  readonly fragments: Map<number, RecordedPart>;
  /** Absent if the upload cannot be resumed. */
  readonly record?: UploadRecord;
}

/**
 * The session of an interrupted run, if it can be continued: the service says how much it has. Others of this file
 * whose process has ended are cancelled.
 */
export async function keptSession(
  store: DriveStore,
  upload: SessionUpload,
  op: Op,
): Promise<OpenedSession | undefined> {
  const head = headOf(store, upload);
  if (store.uploads === undefined || head === undefined) return undefined;
  const { emit } = store.client.context;
  const { path } = upload.source;
  const records = await store.uploads.open();
  // The service has discarded their sessions.
  for (const old of records.takeOld(head.store)) old.delete();
  const taken = records.take(head.store, head.path);
  let found: OpenedSession | undefined;
  for (const [index, record] of taken.entries()) {
    const session = sessionAt(store, upload, record.head.id);
    const fragments = new Map(record.parts.map((part) => [part.number, part]));
    const why =
      found === undefined
        ? await whyNot(record.head, head, fragments, session, op).catch((error) => {
            for (const left of taken.slice(index)) left.release();
            throw error;
          })
        : 'a newer one exists';
    if (why === undefined) {
      found = { session, fragments, record };
      continue;
    }
    emit({ type: 'log', level: 'info', path, code: 'upload-restarted', fields: { why } });
    await session.cancel();
    record.delete();
  }
  if (found?.session.hasBegun === true) {
    const bytes = found.session.taken;
    const parts = Math.floor(bytes / head.partSize);
    const of = Math.ceil(head.size / head.partSize);
    const percent = Math.floor((100 * bytes) / head.size);
    const fields = { parts, of, bytes, percent };
    emit({ type: 'log', level: 'info', path, code: 'upload-resumed', fields });
  }
  return found;
}

/** Why a session cannot be continued. Rejects if the service cannot be reached. */
async function whyNot(
  recorded: UploadHead,
  head: Omit<UploadHead, 'id'>,
  fragments: ReadonlyMap<number, RecordedPart>,
  session: UploadSession,
  op: Op,
): Promise<string | undefined> {
  if (recorded.source !== head.source || recorded.size !== head.size)
    return 'the source has changed';
  if (recorded.partSize !== head.partSize) return 'the part size is another one';
  if (recorded.options !== head.options) return 'the content or the options are others';
  const has = await session.ask(op);
  if (has === undefined) return 'the service no longer has it';
  for (let number = 1; (number - 1) * head.partSize < has; number++) {
    if (!fragments.has(number)) return 'the service has more than was sent';
  }
  return undefined;
}

/** What an upload must agree in to be continued; `undefined` if it cannot be. */
function headOf(
  store: DriveStore,
  { source, size, address, condition, properties }: SessionUpload,
): Omit<UploadHead, 'id'> | undefined {
  const from = store.uploads?.from ?? Number.POSITIVE_INFINITY;
  if (!source.seekable || size < from) return undefined;
  const fingerprint = source.fingerprint?.();
  if (fingerprint === undefined) return undefined;
  return {
    ...{ store: store.id, path: store.toService(source.path), size },
    partSize: store.settings.chunkSize,
    source: hash('sha256', fingerprint),
    options: hash('sha256', JSON.stringify([requestPath(address), condition, properties])),
  };
}

/** Starts a session, and its record if the upload can be resumed. */
export async function openSession(
  store: DriveStore,
  upload: SessionUpload,
  op: Op,
): Promise<OpenedSession> {
  const { source, address, condition, properties } = upload;
  const request = {
    method: 'POST',
    to: requestPath(address, '/createUploadSession'),
    headers: condition.headers,
    json: {
      item: {
        '@microsoft.graph.conflictBehavior': condition.conflict,
        ...properties,
      },
    },
    isNaming: true,
    doing: 'write',
    about: source.path,
  } as const;
  const { json } = await store.client.call(request, op);
  const id = json['uploadUrl'];
  if (typeof id !== 'string' || !URL.canParse(id)) {
    throw badAnswer(request, 'the service returned no upload URL');
  }
  const opened = { session: sessionAt(store, upload, id), fragments: new Map() };
  const head = headOf(store, upload);
  if (store.uploads === undefined || head === undefined) return opened;
  return { ...opened, record: (await store.uploads.open()).create({ ...head, id }) };
}

function sessionAt(store: DriveStore, upload: SessionUpload, url: string): UploadSession {
  const { source, size, patience } = upload;
  return new UploadSession(store.client, new URL(url), source.path, size, patience);
}

/** Records a fragment before it is sent: everything that the service has can then be compared. */
export function recordFragment(
  { fragments, record }: OpenedSession,
  number: number,
  fragment: Buffer,
): void {
  if (record === undefined || fragments.has(number)) return;
  const part = { number, size: fragment.length, etag: '', md5: '', crc32: crc32(fragment) };
  fragments.set(number, part);
  record.add(part);
}

/** Throws `source-changed` if the source has other bytes now than an earlier run has sent. */
export function compareFragment(
  opened: OpenedSession | undefined,
  number: number,
  fragment: Buffer,
  { path }: WriteSource,
): void {
  const recorded = opened?.fragments.get(number);
  if (recorded?.size === fragment.length && recorded.crc32 === crc32(fragment)) return;
  const text = `part ${number} of the source is not what an earlier run has sent`;
  throw new SyncerError('source-changed', text, { path });
}

/** Ends an upload that failed: keeps the session for the next attempt or run if enough is stored, or cancels it. */
export async function endFailed(
  store: DriveStore,
  { source, size }: SessionUpload,
  { session, record }: OpenedSession,
  thrown: unknown,
  op: Op,
): Promise<void> {
  const isMuch = session.taken >= (store.uploads?.from ?? 0);
  const mayKeep = isMuch && (op.signal.aborted || isPassing(toSyncerError(thrown)));
  if (mayKeep && record?.release() === true) {
    const { emit } = store.client.context;
    const place = typedPath(store.settings.remote, store.toStandard(store.toService(source.path)));
    const fields = { bytes: session.taken, of: size, days: undefined, place };
    emit({ type: 'log', level: 'notice', path: source.path, code: 'upload-kept', fields });
    return;
  }
  await session.cancel();
  record?.delete();
}
