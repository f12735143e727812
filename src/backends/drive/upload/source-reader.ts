import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { bodyChunks } from '../../../core/body.ts';
import { SyncerError } from '../../../core/errors.ts';
import type { Op, ReadRange, WriteSource } from '../../../core/remote.ts';
import { giveBack } from '../../../core/used-again.ts';
import { type ContentCheck, contentCheck } from '../../../hashes/content-hasher.ts';

/**
 * Calls `use` with a source of known size. A source of unknown size is read first: into memory up to `inMemory`
 * bytes, else into an unnamed temporary file.
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

/** How much is read at a time, in bytes. */
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

/** Not by a stream of the file, which closes it if its reader ends early: an upload may start again. */
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

/** A file that disappears when it is closed, also by a crash. */
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

async function* inTwo(source: WriteSource, stored: number, op: Op): AsyncGenerator<Buffer> {
  const first = await source.open({ offset: 0, length: stored, isStored: true }, op);
  yield* bodyChunks(first, op.signal);
  yield* bodyChunks(await source.open({ offset: stored }, op), op.signal);
}

/** Reads a source piece by piece; every byte passes the check, in order. */
export class SourceReader {
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #check: ContentCheck;
  #left: Buffer = Buffer.alloc(0);

  private constructor(chunks: AsyncGenerator<Buffer>, check: ContentCheck) {
    this.#chunks = chunks;
    this.#check = check;
  }

  /**
   * Opens the whole source.
   *
   * @param stored how many bytes from its start the service has already
   */
  static async open(
    source: WriteSource,
    check: ContentCheck,
    op: Op,
    stored = 0,
  ): Promise<SourceReader> {
    if (stored > 0) return new SourceReader(inTwo(source, stored, op), check);
    return new SourceReader(bodyChunks(await source.open(undefined, op), op.signal), check);
  }

  /** The next `size` bytes; fewer if the source ends. */
  async take(size: number): Promise<Buffer> {
    if (await this.isAtEnd()) return Buffer.alloc(0);
    if (this.#left.length >= size) return this.#cut(size);
    const target = Buffer.allocUnsafeSlow(size);
    let have = 0;
    while (have < size && !(await this.isAtEnd())) {
      const chunk = this.#left;
      have += this.#cut(size - have).copy(target, have);
      if (this.#left.length === 0) giveBack(chunk);
    }
    return target.subarray(0, have);
  }

  /** Whether the source has ended. Throws `corrupted` if it has more bytes than promised. */
  async isAtEnd(): Promise<boolean> {
    while (this.#left.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return true;
      this.#check.update(next.value);
      this.#left = next.value;
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  #cut(size: number): Buffer {
    const piece = this.#left.subarray(0, size);
    this.#left = this.#left.subarray(piece.length);
    return piece;
  }
}
