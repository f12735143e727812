import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { collectBody, wholeSource } from '../../../core/body.ts';
import { inBuffers, releaseBuffer } from '../../../core/buffers.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, ReadRange, WriteSource } from '../../../core/remote.ts';
import { leafName, parentPath, typedPath } from '../../../core/remote-path.ts';
import { filePolicy, type RetryPolicy, retry } from '../../../core/retry.ts';
import type { UploadRecord } from '../../../core/upload-records.ts';
import { checkedChunks, checkWhole, contentCheck } from '../../../hashes/content-hasher.ts';
import { type NamelessFile, namelessFile } from '../../../system/nameless-file.ts';
import {
  assertSamePart,
  logResumed,
  mayContinue,
  type NewUpload,
  resumable,
  takeResumable,
} from '../../resumed-uploads.ts';
import { deleteVersions } from '../change/delete-item.ts';
import { writePermissions } from '../change/permissions.ts';
import { versionHash } from '../change/restore-file.ts';
import { propertiesOf, setTime } from '../change/set-mod-time.ts';
import { badAnswer, hasStatus } from '../client/graph-request.ts';
import type { Drive, DriveStore } from '../drive-store.ts';
import { findItem } from '../items/get-item.ts';
import { contentOf, type ItemAddress, isSameTime, requestPath } from '../items/graph-item.ts';
import { timeOf } from '../items/item-entry.ts';
import { tellFile } from '../items/tell-entry.ts';
import {
  conditionFailed,
  isProven,
  proveWritten,
  type SentContent,
  tellWritten,
  type WriteCondition,
  writeIfUnchanged,
  wrongContent,
} from './prove-written.ts';
import { SessionLost, UploadSession } from './upload-session.ts';

/** Writes a file, which appears whole, from a session with its time; creates its directories. Rejects with `not-a-file`. */
export async function writeFile(drive: Drive, source: WriteSource): Promise<FileEntry> {
  drive.op.signal.throwIfAborted();
  const path = drive.toService(source.path);
  if (path === '') {
    throw new SyncerError('name-invalid', 'a file needs a name', { path: source.path });
  }
  try {
    const folder = await drive.ensure(parentPath(path));
    const address = { ...folder, rest: leafName(path) };
    const written = await withKnownSize(source, drive.settings.chunkSize, drive.op, (known) =>
      writeIfUnchanged(drive, known, address, (at, condition) =>
        isWhole(drive, known.size ?? 0)
          ? putWhole(drive, known, at, condition)
          : putInSession(drive, known, at, condition),
      ),
    );
    if (drive.settings.noVersions) await deleteVersions(drive, written);
    await writePermissions(drive, address, source.metadata, source.path);
    // A replaced file is an older version, if a hash can prove later which one.
    const { replaces, onKept } = drive.op.change ?? {};
    if (!drive.settings.noVersions && typeof replaces === 'object') {
      const hash = versionHash(replaces);
      if (hash !== undefined) onKept?.(source.path, { in: 'versions', hash });
    }
    return { ...written, ...drive.client.toldAt() };
  } catch (thrown) {
    drive.op.signal.throwIfAborted();
    // A deleted directory must not count as known the next time.
    if (hasStatus(thrown, 404)) drive.directories.forget(parentPath(path));
    if (hasStatus(thrown, 404) && typeof source.replaces !== 'object') {
      throw new SyncerError('server', thrown.message, { cause: thrown });
    }
    // If a directory has the name, the service only reports that the name is taken.
    const item = hasStatus(thrown, 409) && (await drive.look(path).catch(() => undefined));
    if (item && contentOf(item).folder !== undefined) {
      const text = `cannot write ${source.path}: it is a directory`;
      throw new SyncerError('not-a-file', text, { path: source.path });
    }
    throw toSyncerError(conditionFailed(source, thrown));
  }
}

/** See `Capabilities.writeMemory`: a fragment at a time. */
export function uploadMemory(store: DriveStore, size: number | undefined) {
  const bytes = size !== undefined && isWhole(store, size) ? size : store.settings.chunkSize;
  return { least: bytes, most: bytes };
}

/** Whether a file of this size is written in one request. Sessions do not support empty files. */
function isWhole({ settings }: Pick<DriveStore, 'settings'>, size: number): boolean {
  return size === 0 || size < settings.uploadCutoff;
}

/** Writes an empty file, which sessions do not support, or a small one in one request; its time needs another one. */
async function putWhole(
  drive: Drive,
  source: WriteSource,
  address: ItemAddress,
  { conflict, headers: conditions }: WriteCondition,
): Promise<FileEntry> {
  const { size = 0 } = source;
  const body = await collectBody(await source.open(undefined, drive.op), drive.op.signal);
  const { hashes } = checkWhole(source, body, size === 0 ? [] : drive.settings.hashes);
  const request = {
    method: 'PUT',
    to: `${requestPath(address, '/content')}?@microsoft.graph.conflictBehavior=${conflict}`,
    headers: {
      ...conditions,
      'content-type': 'application/octet-stream',
      ...drive.client.transport.uploadHeaders,
    },
    body,
    isNaming: true,
    doing: 'write',
    about: source.path,
  } as const;
  const { status, json, headers } = await drive.call(request);
  const untimedMs = Date.parse(headers['date'] ?? '');
  const isReplacing = status === 200;
  const known = size === 0 ? {} : hashes;
  const sent = { source, size, hashes: known, address, untimedMs, isReplacing };
  const written = await proveWritten(drive, json, sent);
  const properties = await propertiesOf(drive, source);
  if (Object.keys(properties).length === 0) return written;
  const { path, modTime } = source;
  const timed = { path, properties, modTime };
  return tellWritten(drive, await setTime(drive, address, timed), sent);
}

/** Calls `use` with a source of known size; an unknown one is read first, to memory or an unnamed file. */
async function withKnownSize<T>(
  source: WriteSource,
  inMemory: number,
  op: Op,
  use: (known: WriteSource) => Promise<T>,
): Promise<T> {
  if (source.size !== undefined) return use(source);
  const check = contentCheck(source);
  const chunks: Buffer[] = [];
  let size = 0;
  let file: NamelessFile | undefined;
  try {
    for await (const chunk of checkedChunks(source, [undefined], check, op)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= inMemory) continue;
      file ??= namelessFile(
        'the copy of a file of unknown size',
        'set TMPDIR to a directory with more space',
      );
      for (const each of chunks.splice(0)) {
        file.append(each);
        releaseBuffer(each);
      }
    }
    check.finish();
    if (file === undefined) return await use(wholeSource(source, Buffer.concat(chunks)));
    const copy = file;
    const open = async (range: ReadRange | undefined) => {
      const { offset = 0, length = copy.length } = range ?? {};
      const end = Math.min(copy.length, offset + length);
      const pieces = function* () {
        for (let at = offset; at < end; at += PIECE) yield copy.read(at, Math.min(PIECE, end - at));
      };
      return Readable.from(pieces(), { objectMode: true, highWaterMark: 1 });
    };
    return await use({ ...source, size: copy.length, seekable: true, open });
  } finally {
    file?.close();
  }
}

/** How much is read at a time, in bytes. */
const PIECE = 256 * 1024;

/** Uploads a file in a session and verifies the result. A seekable source is sent again if the session is lost. */
async function putInSession(
  drive: Drive,
  source: WriteSource,
  address: ItemAddress,
  condition: WriteCondition,
): Promise<FileEntry> {
  const properties = await propertiesOf(drive, source);
  const size = source.size ?? 0;
  const patience = { waitsLeft: 2 };
  // Sessions that ended before the service had accepted anything.
  let fruitless = 0;
  let isLost = false;
  const sendFile = async () => {
    isLost = false;
    const head = resumable(source, drive.store.uploads, {
      store: drive.store.id,
      path: drive.toService(source.path),
      size,
      partSize: drive.settings.chunkSize,
      options: JSON.stringify([requestPath(address), condition, properties]),
    });
    const upload = { source, size, address, condition, patience, properties, head };
    const done = await sendAll(drive, upload);
    if (!('lost' in done)) return done;
    if (!done.hasBegun && ++fruitless >= 2) {
      const asked = { doing: 'write', about: source.path };
      throw badAnswer(asked, 'the service loses its upload sessions');
    }
    isLost = true;
    throw done.lost;
  };
  return retry(sendFile, {
    tries: source.seekable ? drive.client.tries : 1,
    what: source.path,
    signal: drive.op.signal,
    context: drive.client.context,
    policy: newSession,
    giveUp: () => !isLost,
  });
}

/** A new session takes the file from its first byte, immediately: the lost one has done the waiting. */
const newSession: RetryPolicy = { ...filePolicy, mayHelp: () => true, waitMs: () => undefined };

/** `lost`: why an upload whose session has ended must start again; `hasBegun`: the service had accepted something. */
async function sendAll(drive: Drive, upload: SessionUpload) {
  const { source, size } = upload;
  const { chunkSize } = drive.settings;
  const check = contentCheck(source, drive.settings.hashes);
  let session = await keptSession(drive, upload);
  const stored = session?.taken ?? 0;
  const before = { offset: 0, length: stored, isStored: true };
  const ranges = stored === 0 ? [undefined] : [before, { offset: stored }];
  const chunks = checkedChunks(source, ranges, check, drive.op);
  const fragments = inBuffers(chunks, Math.min(chunkSize, size), 1);
  let sent: SentContent | undefined;
  try {
    for (let offset = 0; ; offset += chunkSize) {
      const fragment: Buffer = (await fragments.next()).value ?? Buffer.alloc(0);
      const isLast = offset + fragment.length >= size || fragment.length < chunkSize;
      // Nothing can be undone once the last fragment has arrived: the source is checked before.
      if (isLast) await fragments.next();
      if (isLast) sent = { ...upload, hashes: check.finish().hashes };
      const number = offset / chunkSize + 1;
      if (offset < stored) {
        assertSamePart(number, session?.fragments.get(number), fragment, source.path);
      }
      if (offset + fragment.length <= stored) continue;
      session ??= await openSession(drive, upload);
      // Recorded before it is sent: everything that the service has can then be compared.
      if (session.record !== undefined && !session.fragments.has(number)) {
        const { length } = fragment;
        const part = { number, size: length, etag: '', md5: '', crc32: crc32(fragment) };
        session.fragments.set(number, part);
        await session.record.add(part);
      }
      const item = await session.send(offset, fragment, drive.op);
      releaseBuffer(fragment);
      if (item !== undefined && sent !== undefined) {
        await session.record?.delete();
        return await proveWritten(drive, item, { ...sent, isReplacing: session.isReplacing });
      }
    }
  } catch (thrown) {
    // The response to the last fragment may have been lost, and the file exist.
    const isUnsure = hasCode(thrown, 'network', 'bad-answer');
    const there = sent && isUnsure ? await findSent(drive, sent) : undefined;
    if (there?.isWrong === false) {
      await session?.record?.delete();
      return there.file;
    }
    let error = thrown;
    if (there !== undefined) {
      const { code, message, path } = toSyncerError(thrown);
      error = new SyncerError(code, message, { cause: thrown, wrong: there.file, path });
    }
    if (thrown instanceof SessionLost) {
      await session?.record?.delete();
      return { lost: error as SyncerError, hasBegun: (session?.taken ?? 0) > 0 };
    }
    if (session !== undefined) await endFailed(drive, upload, session, error);
    if (stored > 0 && hasCode(thrown, 'source-changed')) {
      const fields = { why: thrown.message };
      const { emit } = drive.client.context;
      emit({ type: 'log', level: 'info', path: source.path, code: 'upload-restarted', fields });
      return { lost: thrown, hasBegun: true };
    }
    throw error;
  } finally {
    await fragments.return(undefined);
  }
}

/** After a response that proves nothing: the file if it exists, or another one (`isWrong`) with the sent time. */
async function findSent(drive: Drive, sent: SentContent) {
  const { source, address } = sent;
  const item = await findItem(drive, address, source.path);
  if (item === undefined) return undefined;
  const { modTime } = source;
  const isTimed = modTime === undefined || isSameTime(timeOf(item), modTime);
  if (await isProven(drive, item, sent)) {
    const timed = isTimed ? item : await setTime(drive, address, source);
    return { file: await tellFile(drive, timed, source.path), isWrong: false };
  }
  if (!isTimed || (await wrongContent(drive, item, sent)) === undefined) return undefined;
  // It may be an older file: without an etag it does not count as one written here.
  const { etag: _etag, ...file } = await tellFile(drive, item, source.path);
  return { file, isWrong: true };
}

/** A file to upload in a session. */
interface SessionUpload {
  readonly source: WriteSource;
  /** In bytes, above 0. */
  readonly size: number;
  readonly address: ItemAddress;
  readonly condition: WriteCondition;
  readonly patience: { waitsLeft: number };
  /** Set with the content. */
  readonly properties: Awaited<ReturnType<typeof propertiesOf>>;
  /** What an upload must agree in to be continued; `undefined` if it cannot be. */
  readonly head: NewUpload | undefined;
}

/** The session of an interrupted run, if it can be continued. Others of this file are cancelled if left behind. */
async function keptSession(drive: Drive, upload: SessionUpload) {
  const { head } = upload;
  if (drive.store.uploads === undefined || head === undefined) return undefined;
  const records = await drive.store.uploads.open();
  // The service has discarded their sessions.
  for (const old of await records.takeOld(head.store)) await old.delete();
  const resuming = {
    path: upload.source.path,
    emit: drive.client.context.emit,
    look: async (record: UploadRecord) => {
      const session = sessionAt(drive, upload, record.head.id, record);
      const has = await session.ask(drive.op);
      if (has === undefined) return 'the service no longer has it';
      for (let number = 1; (number - 1) * head.partSize < has; number++) {
        if (!session.fragments.has(number)) return 'the service has more than was sent';
      }
      return session;
    },
    end: async (record: UploadRecord) => {
      await sessionAt(drive, upload, record.head.id).cancel();
      await record.delete();
    },
  };
  const session = (await takeResumable<UploadSession>(records, head, resuming))?.stored;
  const bytes = session?.taken ?? 0;
  if (bytes > 0) logResumed(head, Math.floor(bytes / head.partSize), bytes, resuming);
  return session;
}

/** Starts a session, and its record if the upload can be resumed. */
async function openSession(drive: Drive, upload: SessionUpload): Promise<UploadSession> {
  const { source, address, condition, properties, head } = upload;
  const request = {
    method: 'POST',
    to: requestPath(address, '/createUploadSession'),
    headers: condition.headers,
    json: { item: { '@microsoft.graph.conflictBehavior': condition.conflict, ...properties } },
    isNaming: true,
    doing: 'write',
    about: source.path,
  } as const;
  const { json } = await drive.call(request);
  const id = json['uploadUrl'];
  if (typeof id !== 'string' || !URL.canParse(id)) {
    throw badAnswer(request, 'the service returned no upload URL');
  }
  const records = head && (await drive.store.uploads?.open());
  return sessionAt(drive, upload, id, head && (await records?.create({ ...head, id })));
}

function sessionAt(drive: Drive, upload: SessionUpload, url: string, record?: UploadRecord) {
  const { source, size, patience } = upload;
  return new UploadSession(drive.client, new URL(url), source.path, size, patience, record);
}

/** Ends an upload that failed: keeps the session for the next attempt or run if enough is stored, or cancels it. */
async function endFailed(
  drive: Drive,
  { source, size }: SessionUpload,
  session: UploadSession,
  thrown: unknown,
): Promise<void> {
  const mayKeep = mayContinue(session.taken, drive.store.uploads, thrown, drive.op);
  if (mayKeep && (await session.record?.release()) === true) {
    const { emit } = drive.client.context;
    const place = typedPath(drive.settings.remote, drive.toStandard(drive.toService(source.path)));
    const fields = { bytes: session.taken, of: size, days: undefined, place };
    emit({ type: 'log', level: 'notice', path: source.path, code: 'upload-kept', fields });
    return;
  }
  await session.cancel();
  await session.record?.delete();
}
