import { Readable } from 'node:stream';
import { SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { Body, ReadRange, WriteSource } from '../../core/remote.ts';
import { COMPUTABLE_HASHES, loadedHasher } from '../../hashes/content-hasher.ts';
import type { CachedFile } from './cached-file.ts';
import type { ContentsKit } from './contents-kit.ts';

/** Up to this size, in bytes, a range is read as a whole: parts of an upload. */
const WHOLE = 16 * 1024 * 1024;
/** How much of larger ones is read at a time, in bytes. */
const STEP = 1024 * 1024;

/** The current version of a cached file. After a change, every read rejects with `source-changed`. */
export function uploadSource(kit: ContentsKit, file: CachedFile, path: string): WriteSource {
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
export async function* chunksOf(file: CachedFile): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += STEP) yield await file.readHere(at, STEP);
}

/** `undefined` if the hash cannot be computed. */
export async function hashOf(
  name: HashName,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string | undefined> {
  if (!COMPUTABLE_HASHES.includes(name)) return undefined;
  const hasher = await loadedHasher([name]);
  for await (const chunk of chunks) hasher.update(chunk);
  return hasher.digest()[name];
}

/** The error for a file that changed during its upload. */
export function changed(path: string): SyncerError {
  return new SyncerError('source-changed', 'changed while it was uploaded', { path });
}
