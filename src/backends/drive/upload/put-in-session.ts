import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { type ContentCheck, contentCheck } from '../../../hashes/content-check.ts';
import { propertiesOf, setTime } from '../change/set-mod-time.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import { findItem } from '../items/get-item.ts';
import { type ItemAddress, requestPath } from '../items/item-address.ts';
import { timeOf } from '../items/item-entry.ts';
import { isSameTime } from '../items/same-item.ts';
import { tellFile } from '../items/tell-entry.ts';
import { isProven, proveWritten, type SentContent, wrongContent } from './prove-written.ts';
import { SourceReader } from './source-reader.ts';
import { type Patience, patience, SessionLost, UploadSession } from './upload-session.ts';

/** How many sessions may end before the service has accepted anything. */
const FRUITLESS = 2;

interface Upload {
  readonly source: WriteSource;
  /** In bytes, above 0. */
  readonly size: number;
  readonly address: ItemAddress;
  readonly patience: Patience;
}

/**
 * Uploads a file in a session and verifies the result. If the session is lost, the upload starts again if the source
 * is seekable.
 */
export async function putInSession(
  store: DriveStore,
  source: WriteSource,
  address: ItemAddress,
  op: Op,
): Promise<FileEntry> {
  const upload = { source, size: source.size ?? 0, address, patience: patience() };
  let fruitless = 0;
  for (let sessions = 1; ; sessions++) {
    const check = contentCheck(source, store.settings.hashes);
    const lost = await sendAll(store, upload, check, op);
    if (!(lost instanceof LostUpload)) return lost;
    if (!lost.hasBegun && ++fruitless >= FRUITLESS) {
      throw badAnswer(
        { doing: 'write', about: source.path },
        'the service loses its upload sessions',
      );
    }
    if (!source.seekable || sessions >= store.client.tries) throw lost.error;
  }
}

/** An upload whose session has ended. */
class LostUpload {
  readonly error: SyncerError;
  readonly hasBegun: boolean;

  constructor(error: SyncerError, hasBegun: boolean) {
    this.error = error;
    this.hasBegun = hasBegun;
  }
}

async function sendAll(
  store: DriveStore,
  upload: Upload,
  check: ContentCheck,
  op: Op,
): Promise<FileEntry | LostUpload> {
  const { source, size } = upload;
  const { chunkSize } = store.settings;
  const reader = await SourceReader.open(source, check, op);
  let session: UploadSession | undefined;
  let sent: SentContent | undefined;
  try {
    for (let offset = 0; ; offset += chunkSize) {
      const fragment = await reader.take(Math.min(chunkSize, size - offset));
      const isLast = offset + fragment.length >= size || fragment.length < chunkSize;
      // Nothing can be undone once the last fragment has arrived: the source is checked before.
      if (isLast) await reader.isAtEnd();
      if (isLast) sent = { ...upload, hashes: check.finish().hashes };
      session ??= await openSession(store, upload, op);
      const item = await session.send(offset, fragment, op);
      if (item !== undefined && sent !== undefined)
        return await proveWritten(store, item, sent, op);
    }
  } catch (thrown) {
    // The response to the last fragment may have been lost, and the file exist.
    const isUnsure = hasCode(thrown, 'network', 'bad-answer');
    const there = sent && isUnsure ? await findSent(store, sent, op) : undefined;
    if (there?.isWrong === false) return there.file;
    const error = there === undefined ? thrown : withWrong(thrown, there.file);
    if (thrown instanceof SessionLost)
      return new LostUpload(error as SyncerError, session?.hasBegun === true);
    await session?.cancel();
    throw error;
  } finally {
    await reader.close();
  }
}

/** The result of an upload whose last response proves nothing. */
interface FoundSent {
  readonly file: FileEntry;
  readonly isWrong: boolean;
}

/** The file if it exists after all; or another file with the time that was sent, which could be confused with it. */
async function findSent(
  store: DriveStore,
  sent: SentContent,
  op: Op,
): Promise<FoundSent | undefined> {
  const { source, address } = sent;
  const item = await findItem(store.client, address, source.path, op);
  if (item === undefined) return undefined;
  const { modTime } = source;
  const isTimed = modTime === undefined || isSameTime(timeOf(item), modTime);
  if (await isProven(store, item, sent, op)) {
    const timed = isTimed ? item : await setTime(store, address, source, op);
    return { file: await tellFile(store, timed, source.path, op), isWrong: false };
  }
  if (!isTimed || (await wrongContent(store, item, sent, op)) === undefined) return undefined;
  // It may be an older file: without an etag it does not count as one written here.
  const { etag: _etag, ...file } = await tellFile(store, item, source.path, op);
  return { file, isWrong: true };
}

function withWrong(thrown: unknown, wrong: FileEntry): SyncerError {
  const { code, message, path } = toSyncerError(thrown);
  return new SyncerError(code, message, { cause: thrown, wrong, ...(path && { path }) });
}

async function openSession(
  store: DriveStore,
  { source, size, address, patience: shared }: Upload,
  op: Op,
): Promise<UploadSession> {
  const properties = await propertiesOf(store, source, op);
  const request = {
    method: 'POST',
    to: requestPath(address, '/createUploadSession'),
    json: {
      item: {
        '@microsoft.graph.conflictBehavior': 'replace',
        ...properties,
      },
    },
    isNaming: true,
    doing: 'write',
    about: source.path,
  } as const;
  const { json } = await store.client.call(request, op);
  const url = typeof json['uploadUrl'] === 'string' ? URL.parse(json['uploadUrl']) : null;
  if (url !== null) return new UploadSession(store.client, url, source.path, size, shared);
  throw badAnswer(request, 'the service returned no upload URL');
}
