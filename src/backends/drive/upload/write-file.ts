import { Readable } from 'node:stream';
import { collectBody, giveBack, wholeSource } from '../../../core/body.ts';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, ReadRange, WriteSource } from '../../../core/remote.ts';
import { leafName, parentPath } from '../../../core/remote-path.ts';
import { checkedChunks, checkWhole, contentCheck } from '../../../hashes/content-hasher.ts';
import { type NamelessFile, namelessFile } from '../../../system/nameless-file.ts';
import { deleteVersions } from '../change/delete-item.ts';
import { writePermissions } from '../change/permissions.ts';
import { versionHash } from '../change/restore-file.ts';
import { propertiesOf, setTime } from '../change/set-mod-time.ts';
import { hasStatus } from '../client/graph-request.ts';
import type { Drive, DriveStore } from '../drive-store.ts';
import { contentOf, type ItemAddress, requestPath } from '../items/graph-item.ts';
import {
  conditionFailed,
  proveWritten,
  tellWritten,
  type WriteCondition,
  writeIfUnchanged,
} from './prove-written.ts';
import { putInSession } from './put-in-session.ts';

/**
 * Writes a file by an upload session, which makes it appear whole and with its time. Creates its directories. Rejects
 * with `not-a-file` for a directory.
 */
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
    throw await explain(drive, source, thrown);
  }
}

/** See `Capabilities.writeMemory`: a fragment at a time. */
export function uploadMemory(
  store: DriveStore,
  size: number | undefined,
): { readonly least: number; readonly most: number } {
  const bytes = size !== undefined && isWhole(store, size) ? size : store.settings.chunkSize;
  return { least: bytes, most: bytes };
}

/** Whether a file of this size is written in one request. Sessions do not support empty files. */
function isWhole({ settings }: Pick<DriveStore, 'settings'>, size: number): boolean {
  return size === 0 || size < settings.uploadCutoff;
}

async function explain(drive: Drive, source: WriteSource, thrown: unknown): Promise<SyncerError> {
  const { path, replaces } = source;
  const place = drive.toService(path);
  // A deleted directory must not count as known the next time.
  if (hasStatus(thrown, 404)) drive.directories.forget(parentPath(place));
  if (hasStatus(thrown, 404) && typeof replaces !== 'object') {
    return new SyncerError('server', thrown.message, { cause: thrown });
  }
  // If a directory has the name, the service only reports that the name is taken.
  const item = hasStatus(thrown, 409) && (await drive.look(place).catch(() => undefined));
  if (item && contentOf(item).folder !== undefined) {
    return new SyncerError('not-a-file', `cannot write ${path}: it is a directory`, { path });
  }
  return toSyncerError(conditionFailed(source, thrown));
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

/**
 * Calls `use` with a source of known size. A source of unknown size is read first: into memory up to `inMemory`
 * bytes, else into an unnamed temporary file.
 */
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
        giveBack(each);
      }
    }
    check.finish();
    if (file === undefined) return await use(wholeSource(source, Buffer.concat(chunks)));
    const copy = file;
    const open = async (range: ReadRange | undefined) => {
      const { offset = 0, length = copy.length } = range ?? {};
      const pieces = piecesOf(copy, offset, Math.min(copy.length, offset + length));
      return Readable.from(pieces, { objectMode: true, highWaterMark: 1 });
    };
    return await use({ ...source, size: copy.length, seekable: true, open });
  } finally {
    file?.close();
  }
}

/** How much is read at a time, in bytes. */
const PIECE = 256 * 1024;

function* piecesOf(file: NamelessFile, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += PIECE) yield file.read(at, Math.min(PIECE, end - at));
}
