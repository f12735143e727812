import { Readable } from 'node:stream';
import { hasCode, SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { Body, FileEntry, Op, ReadRange, WriteSource } from '../../core/remote.ts';
import { sameContent } from '../../core/same-content.ts';
import { loadedHasher } from '../../hashes/content-hasher.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';

/**
 * Uploads the current version of a cached file: one version or nothing. Resolves when the remote and the journal have
 * it. A file that was changed since stays pending. Rejects with the error of the remote.
 */
export async function uploadCached(kit: ContentsKit, file: CachedFile, op: Op): Promise<void> {
  try {
    await file.acquire();
  } catch (thrown) {
    if (!hasCode(thrown, 'corrupted')) throw thrown;
    const event = { code: 'upload-impossible', fields: { error: thrown } } as const;
    kit.context.emit({ type: 'log', level: 'error', path: file.path ?? '', ...event });
    return file.discard();
  }
  try {
    await file.commit();
    const { path, edition } = file;
    if (path === undefined || !file.isDirty) return;
    if (!(await completed(kit, file, op))) return;
    const there = file.isRecovered ? await arrivedBefore(kit, file, path, op) : undefined;
    op.signal.throwIfAborted();
    if (file.edition !== edition) throw changed(path);
    if (there === undefined && file.isUnsure) {
      if (file.users > 1) throw changed(path);
      return await refuse(kit, file, path, 'unsure');
    }
    file.isUncertain = true;
    const source = uploadSource(kit, file, path);
    const entry = there ?? (await kit.remote.write(source, op));
    if (entry.size >= 0 && entry.size !== source.size && entry.isRewritten !== true) {
      await kit.remote.can.takeBack?.(entry, {}, op);
      const text = `corrupted on transfer: sizes differ ${source.size} vs ${entry.size}`;
      throw new SyncerError('corrupted', text, { path });
    }
    file.isUncertain = false;
    if (file.edition === edition) {
      const kept = file.uploaded(entry);
      // Without a wait: it is not pending any more, and in between its size would be unknown.
      kit.uploaded.tell(path, entry);
      await kept;
    } else {
      // The uploaded version has to be deleted or renamed with the file.
      file.base = entry;
      kit.uploaded.tell(path, entry);
    }
    kit.context.emit({ type: 'log', level: 'info', path, code: 'uploaded' });
  } finally {
    await file.release();
  }
}

/**
 * Fetches what is missing of it. If the version that it changes is no longer on the remote, it can never be uploaded:
 * then its bytes are put aside, with a log line, and what others wrote stays. Returns `false` then.
 */
async function completed(kit: ContentsKit, file: CachedFile, op: Op): Promise<boolean> {
  const { path, base } = file;
  try {
    await file.complete(op);
    return true;
  } catch (thrown) {
    op.signal.throwIfAborted();
    const isLost = hasCode(thrown, 'source-changed', 'file-not-found');
    if (!isLost || file.users > 1 || path === undefined || path !== base?.path) throw thrown;
    const now = await kit.remote.stat(path, op);
    if (now?.kind === 'file' && sameContent(base, now)) {
      await file.rebase(now);
      throw thrown;
    }
    await refuse(kit, file, path, 'replaced');
    if (now?.kind === 'file') kit.uploaded.tell(path, now);
    return false;
  }
}

/** Puts its bytes aside, with a log line. */
async function refuse(
  { context }: ContentsKit,
  file: CachedFile,
  path: string,
  why: 'replaced' | 'unsure',
): Promise<void> {
  const fields = { why, kept: await file.putAside() };
  context.emit({ type: 'log', level: 'error', path, code: 'upload-refused', fields });
}

/**
 * The remote's file, if it is this one: its upload succeeded and the mount ended before the journal had it. What
 * others wrote since is replaced, as in rclone, with a log line.
 */
async function arrivedBefore(
  { remote, context }: ContentsKit,
  file: CachedFile,
  path: string,
  op: Op,
): Promise<FileEntry | undefined> {
  const now = await remote.stat(path, op);
  if (now?.kind !== 'file' || now.isWrong === true) return undefined;
  if (file.base !== undefined && sameContent(file.base, now)) return undefined;
  const [first] = Object.entries(now.hashes ?? {}) as [HashName, string][];
  const mayBeIt = now.size === file.size && now.modTime === file.modTime && first !== undefined;
  if (mayBeIt && first[1] === (await hashOf(first[0], chunksOf(file)))) return now;
  if (!file.isUnsure)
    context.emit({ type: 'log', level: 'notice', path, code: 'upload-overwrites' });
  return undefined;
}

/** Up to this size, in bytes, a range is read as a whole: parts of an upload. */
const WHOLE = 16 * 1024 * 1024;
/** How much of larger ones is read at a time, in bytes. */
const STEP = 1024 * 1024;

/** The current version of a cached file. After a change, every read rejects with `source-changed`. */
function uploadSource(kit: ContentsKit, file: CachedFile, path: string): WriteSource {
  const { edition, modTime, size } = file;
  const read = async (offset: number, length: number) => {
    const bytes = await file.readHere(offset, length);
    if (file.edition !== edition || bytes.length !== length) throw changed(path);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  };
  const chunks = async function* (from: number, to: number) {
    for (let at = from; at < to; at += STEP) yield await read(at, Math.min(STEP, to - at));
  };
  const open = async (range: ReadRange | undefined): Promise<Body> => {
    const from = Math.min(range?.offset ?? 0, size);
    const to = range?.length === undefined ? size : Math.min(size, from + range.length);
    if (to - from <= WHOLE) return read(from, to - from);
    return Readable.from(chunks(from, to), { objectMode: true, highWaterMark: 2 });
  };
  return {
    path,
    size,
    mimeType: kit.mimeType(path),
    ...(kit.options.noModTime ? {} : { modTime }),
    ...(kit.options.noChecksum ? {} : { hash: (name) => hashOf(name, chunks(0, size)) }),
    seekable: true,
    open,
  };
}

/** The content of a cached file. */
async function* chunksOf(file: CachedFile): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += STEP) yield await file.readHere(at, STEP);
}

async function hashOf(
  name: HashName,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string | undefined> {
  const hasher = await loadedHasher([name]);
  for await (const chunk of chunks) hasher.update(chunk);
  return hasher.digest()[name];
}

/** The error for a file that changed during its upload. */
function changed(path: string): SyncerError {
  return new SyncerError('source-changed', 'changed while it was uploaded', { path });
}
