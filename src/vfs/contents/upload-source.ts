import { Readable } from 'node:stream';
import { SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { Body, ReadRange, WriteSource } from '../../core/remote.ts';
import { COMPUTABLE_HASHES, contentHasher } from '../../hashes/content-hash.ts';
import type { CachedFile } from './cached-file.ts';

/** Up to this size a range is read at once, in bytes: parts of an upload. */
const WHOLE = 16 * 1024 * 1024;
/** Of larger ones as much is read at a time, in bytes. */
const STEP = 1024 * 1024;

/** What is told of an upload besides its bytes. */
export interface UploadRules {
  readonly noModTime: boolean;
  readonly noChecksum: boolean;
  mimeType(path: string): string;
}

/**
 * A cached file as it is now. Once it is changed, every read of it rejects with `source-changed`: what is uploaded is
 * one version or nothing.
 */
export function uploadSource(file: CachedFile, path: string, rules: UploadRules): WriteSource {
  const { edition, modTime } = file;
  const { size } = file.data;
  const read = async (offset: number, length: number) => {
    const bytes = await file.data.read(offset, length);
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
    mimeType: rules.mimeType(path),
    ...(rules.noModTime ? {} : { modTime }),
    ...(rules.noChecksum ? {} : { hash: (name) => hashOf(name, chunks(0, size)) }),
    seekable: true,
    open,
  };
}

/** A hash of a cached file as it is now; `undefined` where it cannot be computed. */
export function hashOfCached(file: CachedFile, name: HashName): Promise<string | undefined> {
  return hashOf(name, chunksOf(file, 0, file.data.size));
}

async function* chunksOf(file: CachedFile, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; at += STEP) yield await file.data.read(at, Math.min(STEP, to - at));
}

async function hashOf(
  name: HashName,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string | undefined> {
  if (!(COMPUTABLE_HASHES as readonly HashName[]).includes(name)) return undefined;
  const hasher = contentHasher([name]);
  for await (const chunk of chunks) hasher.update(chunk);
  return hasher.digest()[name];
}

function changed(path: string): SyncerError {
  return new SyncerError('source-changed', 'changed while it was uploaded', { path });
}
