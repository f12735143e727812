import { Readable } from 'node:stream';
import { bodyChunks, wholeSource } from '../../../core/body.ts';
import type { Op, ReadRange, WriteSource } from '../../../core/remote.ts';
import { giveBack } from '../../../core/used-again.ts';
import { type ContentCheck, contentCheck } from '../../../hashes/content-hasher.ts';
import { type NamelessFile, namelessFile } from '../../../system/nameless-file.ts';

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
      return await use(wholeSource(source, first));
    }
    const file = namelessFile('the copy of a file of unknown size', ADVICE);
    try {
      for (let piece = first; piece.length > 0; piece = await reader.take(PIECE))
        file.append(piece);
      check.finish();
      return await use({ ...source, ...inFile(file) });
    } finally {
      file.close();
    }
  } finally {
    await reader.close();
  }
}

/** How much is read and written at a time, in bytes. */
const PIECE = 256 * 1024;

const ADVICE = 'set TMPDIR to a directory with more space';

function inFile(file: NamelessFile): Pick<WriteSource, 'size' | 'seekable' | 'open'> {
  const open = async (range: ReadRange | undefined) => {
    const { offset = 0, length = file.length } = range ?? {};
    const end = Math.min(file.length, offset + length);
    return Readable.from(piecesOf(file, offset, end), { objectMode: true, highWaterMark: 1 });
  };
  return { size: file.length, seekable: true, open };
}

function* piecesOf(file: NamelessFile, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += PIECE) yield file.read(at, Math.min(PIECE, end - at));
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
