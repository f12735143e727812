import { type ContentCheck, contentCheck } from '../../../core/content-check.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { Hashes } from '../../../core/hash-names.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { removeFile } from '../change/remove.ts';
import { setTime } from '../change/set-mod-time.ts';
import { type Address, requestPath } from '../items/address.ts';
import type { GraphItem } from '../items/graph-item.ts';
import { isRewritten } from '../items/item-entry.ts';
import { tellFile } from '../items/tell-entry.ts';
import { timesOf } from '../items/times.ts';
import type { DriveStore } from '../store.ts';
import { SourceReader } from './source-reader.ts';
import { SessionLost, UploadSession } from './upload-session.ts';

/** A file that is uploaded, and where to. */
interface Upload {
  readonly source: WriteSource;
  /** In bytes, above 0. */
  readonly size: number;
  readonly address: Address;
}

/**
 * Writes a file by an upload session. Where the session is lost on the way, the upload begins anew, if the source can
 * be read again. What the service then tells of the file is compared with what was sent.
 */
export async function putInSession(
  store: DriveStore,
  source: WriteSource,
  address: Address,
  op: Op,
): Promise<FileEntry> {
  const upload = { source, size: source.size ?? 0, address };
  for (let sessions = 1; ; sessions++) {
    const check = contentCheck(source, store.settings.hashes);
    try {
      const { item, hashes } = await sendAll(store, upload, check, op);
      return await verified(store, upload, item, hashes, op);
    } catch (thrown) {
      const mayGoOn = thrown instanceof SessionLost && source.seekable;
      if (!mayGoOn || sessions >= store.client.tries) throw thrown;
    }
  }
}

async function sendAll(
  store: DriveStore,
  upload: Upload,
  check: ContentCheck,
  op: Op,
): Promise<{ readonly item: GraphItem; readonly hashes: Hashes }> {
  const { source, size } = upload;
  const { chunkSize } = store.settings;
  const reader = await SourceReader.open(source, check, op);
  let session: UploadSession | undefined;
  try {
    for (let offset = 0; ; offset += chunkSize) {
      const fragment = await reader.take(Math.min(chunkSize, size - offset));
      const isLast = offset + fragment.length >= size || fragment.length < chunkSize;
      // Nothing can be called back once the last fragment is there: what was promised is checked before.
      if (isLast) await reader.isAtEnd();
      const passed = isLast ? check.finish() : undefined;
      session ??= await openSession(store, upload, op);
      const item = await sendFragment(store, upload, session, { offset, fragment, passed }, op);
      if (item !== undefined && passed !== undefined) return { item, hashes: passed.hashes };
    }
  } catch (thrown) {
    if (!(thrown instanceof SessionLost)) await session?.cancel();
    throw thrown;
  } finally {
    await reader.close();
  }
}

interface Fragment {
  readonly offset: number;
  readonly fragment: Buffer;
  /** With the last one only: what the whole is. */
  readonly passed: { readonly hashes: Hashes } | undefined;
}

/** Where the session is over after the last fragment, the answer may have been lost and the file be there. */
async function sendFragment(
  store: DriveStore,
  { source, size, address }: Upload,
  session: UploadSession,
  { offset, fragment, passed }: Fragment,
  op: Op,
): Promise<GraphItem | undefined> {
  try {
    return await session.send(offset, fragment, op);
  } catch (thrown) {
    if (!(thrown instanceof SessionLost) || passed === undefined) throw thrown;
    const item = await store.folders.look(store.toService(source.path), op);
    if (item === undefined) throw thrown;
    const there = await tellFile(store, item, source.path, op);
    const isIt = there.size === size && wrongHash(there, passed.hashes) === undefined;
    if (!isIt || Object.keys(there.hashes ?? {}).length === 0) throw thrown;
    const wanted = timesOf(source.modTime);
    return wanted === undefined
      ? item
      : setTime(store, { driveId: address.driveId, id: item.id ?? '', rest: '' }, source, op);
  }
}

async function openSession(
  store: DriveStore,
  { source, size, address }: Upload,
  op: Op,
): Promise<UploadSession> {
  const times = timesOf(source.modTime);
  const request = {
    method: 'POST',
    to: requestPath(address, '/createUploadSession'),
    json: {
      item: {
        '@microsoft.graph.conflictBehavior': 'replace',
        ...(times === undefined ? {} : { fileSystemInfo: times }),
      },
    },
    isNaming: true,
    doing: 'write',
    about: source.path,
  } as const;
  const { json } = await store.client.call(request, op);
  const url = typeof json['uploadUrl'] === 'string' ? URL.parse(json['uploadUrl']) : null;
  if (url !== null) return new UploadSession(store.client, url, source.path, size);
  const text = `cannot write ${source.path}: the service does not say where to`;
  throw new SyncerError('bad-answer', text);
}

/**
 * Compares what the service has with what was sent. SharePoint changes files of Office when it gets them: those are
 * taken as they are. Anything else is removed again, so that it is not taken for the file.
 */
async function verified(
  store: DriveStore,
  { source, size }: Upload,
  item: GraphItem,
  hashes: Hashes,
  op: Op,
): Promise<FileEntry> {
  const written = await tellFile(store, item, source.path, op);
  const { type } = await store.drive(op);
  if (isRewritten(source.path, type)) return written;
  const wrong =
    written.size === size ? wrongHash(written, hashes) : `sizes differ ${size} vs ${written.size}`;
  if (wrong === undefined) return written;
  await removeFile(store, written, op);
  throw new SyncerError('corrupted', `corrupted on transfer: ${wrong}`, { path: source.path });
}

/** How a hash that the service tells differs; one that is missing does not. */
function wrongHash(written: FileEntry, hashes: Hashes): string | undefined {
  for (const [name, found] of Object.entries(written.hashes ?? {})) {
    const sent = hashes[name as keyof Hashes];
    if (sent !== undefined && sent !== found) return `${name} hash differ "${sent}" vs "${found}"`;
  }
  return undefined;
}
