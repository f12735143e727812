import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { type ContentCheck, contentCheck } from '../../../hashes/content-hasher.ts';
import { propertiesOf, setTime } from '../change/set-mod-time.ts';
import { badAnswer } from '../client/graph-request.ts';
import type { DriveStore } from '../drive-store.ts';
import { findItem } from '../items/get-item.ts';
import { isSameTime } from '../items/graph-item.ts';
import type { ItemAddress } from '../items/item-address.ts';
import { timeOf } from '../items/item-entry.ts';
import { tellFile } from '../items/tell-entry.ts';
import {
  compareFragment,
  endFailed,
  keptSession,
  openSession,
  recordFragment,
  type SessionUpload,
} from './open-session.ts';
import { isProven, proveWritten, type SentContent, wrongContent } from './prove-written.ts';
import { SourceReader } from './source-reader.ts';
import { patience, SessionLost } from './upload-session.ts';
import type { WriteCondition } from './write-condition.ts';

/** How many sessions may end before the service has accepted anything. */
const FRUITLESS = 2;

/**
 * Uploads a file in a session and verifies the result. If the session is lost, the upload starts again if the source
 * is seekable.
 */
export async function putInSession(
  store: DriveStore,
  source: WriteSource,
  address: ItemAddress,
  condition: WriteCondition,
  op: Op,
): Promise<FileEntry> {
  const properties = await propertiesOf(store, source, op);
  const size = source.size ?? 0;
  const upload = { source, size, address, condition, patience: patience(), properties };
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
  upload: SessionUpload,
  check: ContentCheck,
  op: Op,
): Promise<FileEntry | LostUpload> {
  const { source, size } = upload;
  const { chunkSize } = store.settings;
  let opened = await keptSession(store, upload, op);
  const stored = opened?.session.taken ?? 0;
  const reader = await SourceReader.open(source, check, op, stored);
  let sent: SentContent | undefined;
  try {
    for (let offset = 0; ; offset += chunkSize) {
      const fragment = await reader.take(Math.min(chunkSize, size - offset));
      const isLast = offset + fragment.length >= size || fragment.length < chunkSize;
      // Nothing can be undone once the last fragment has arrived: the source is checked before.
      if (isLast) await reader.isAtEnd();
      if (isLast) sent = { ...upload, hashes: check.finish().hashes };
      const number = offset / chunkSize + 1;
      if (offset < stored) compareFragment(opened, number, fragment, source);
      if (offset + fragment.length <= stored) continue;
      opened ??= await openSession(store, upload, op);
      recordFragment(opened, number, fragment);
      const item = await opened.session.send(offset, fragment, op);
      if (item !== undefined && sent !== undefined) {
        opened.record?.delete();
        return await proveWritten(store, item, { ...sent, ...opened.session.outcome }, op);
      }
    }
  } catch (thrown) {
    // The response to the last fragment may have been lost, and the file exist.
    const isUnsure = hasCode(thrown, 'network', 'bad-answer');
    const there = sent && isUnsure ? await findSent(store, sent, op) : undefined;
    if (there?.isWrong === false) {
      opened?.record?.delete();
      return there.file;
    }
    const error = there === undefined ? thrown : withWrong(thrown, there.file);
    if (thrown instanceof SessionLost) {
      opened?.record?.delete();
      return new LostUpload(error as SyncerError, opened?.session.hasBegun === true);
    }
    if (opened !== undefined) await endFailed(store, upload, opened, error, op);
    if (stored > 0 && hasCode(thrown, 'source-changed')) {
      const fields = { why: thrown.message };
      const { emit } = store.client.context;
      emit({ type: 'log', level: 'info', path: source.path, code: 'upload-restarted', fields });
      return new LostUpload(thrown, true);
    }
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
