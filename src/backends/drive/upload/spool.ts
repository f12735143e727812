import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { SyncerError } from '../../../core/errors.ts';
import type { Op, ReadRange, WriteSource } from '../../../core/remote.ts';
import { contentCheck } from '../../../hashes/content-check.ts';
import { SourceReader } from './source-reader.ts';

/**
 * Gives `use` a source whose size is known, which an upload has to tell beforehand: a source of unknown size is read
 * first, into memory up to `inMemory` bytes, else into a temporary file that has no name any more.
 */
export async function withKnownSize<T>(
  source: WriteSource,
  inMemory: number,
  op: Op,
  use: (known: WriteSource) => Promise<T>,
): Promise<T> {
  if (source.size !== undefined) return use(source);
  const check = contentCheck(source);
  const reader = await SourceReader.open(source, check, op);
  try {
    const first = await reader.take(inMemory);
    if (await reader.isAtEnd()) {
      check.finish();
      return await use({ ...source, ...inBuffer(first) });
    }
    const file = await openNameless();
    try {
      const size = await writeRest(file, first, reader, inMemory);
      check.finish();
      return await use({ ...source, ...inFile(file, size) });
    } finally {
      await file.close();
    }
  } finally {
    await reader.close();
  }
}

/** How much is read at once, in bytes. */
const PIECE = 256 * 1024;

type Known = Pick<WriteSource, 'size' | 'seekable' | 'open'>;

function inBuffer(bytes: Buffer): Known {
  const open = async (range: ReadRange | undefined) => {
    const from = range?.offset ?? 0;
    return bytes.subarray(from, range?.length === undefined ? undefined : from + range.length);
  };
  return { size: bytes.length, seekable: true, open };
}

function inFile(file: FileHandle, size: number): Known {
  const open = async (range: ReadRange | undefined) => {
    const start = range?.offset ?? 0;
    const end = range?.length === undefined ? size : Math.min(size, start + range.length);
    return Readable.from(piecesOf(file, start, end), { objectMode: true, highWaterMark: 1 });
  };
  return { size, seekable: true, open };
}

/** Not by a stream of the file, which closes it where its reader ends early: an upload may begin again. */
async function* piecesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE, end - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead === 0) throw new SyncerError('other', 'a temporary file ended early');
    yield piece.subarray(0, bytesRead);
    at += bytesRead;
  }
}

async function writeRest(
  file: FileHandle,
  first: Buffer,
  reader: SourceReader,
  pieceSize: number,
): Promise<number> {
  let size = 0;
  try {
    for (let piece = first; piece.length > 0; piece = await reader.take(pieceSize)) {
      await file.writeFile(piece);
      size += piece.length;
    }
  } catch (thrown) {
    if (!isNoSpace(thrown)) throw thrown;
    const text = `the temporary directory (${tmpdir()}) is full: it buffers a file of unknown size`;
    throw new SyncerError('no-space', text, { cause: thrown });
  }
  return size;
}

/** A file that vanishes when it is closed, also by a crash. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `syncer-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path, { force: true });
  return file;
}

function isNoSpace(thrown: unknown): boolean {
  const { code } = thrown as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
