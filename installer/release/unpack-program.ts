import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BLOCK, broken, checkName, parseTarHead, pathOfAttributes } from './tar-entry.ts';

/** No program is larger than this, in bytes: an archive that goes on and on is not unpacked. */
const LARGEST = 512 * 1024 * 1024;

/** Long names and attributes are short. */
const LONGEST_NAME = 64 * 1024;

/** Gets the program's bytes in their order. */
export type Sink = (chunk: Buffer) => Promise<void>;

/**
 * Unpacks one file from a gzip tarball and reads the archive to its end, so that damage anywhere, and a second file of
 * that name, is seen. Nothing else of the archive is written anywhere. Rejects with `corrupted` for a bad archive, for
 * links, devices and names that lead out of the folder, and where the file is not in it.
 */
export async function unpackProgram(archive: Buffer, wanted: string, sink: Sink): Promise<void> {
  const reader = new ByteReader(unzipped(archive));
  let found = false;
  let longName: string | undefined;
  for (;;) {
    const block = await reader.take(BLOCK);
    const entry = parseTarHead(block);
    if (entry === undefined) break;
    const padding = (BLOCK - (entry.size % BLOCK)) % BLOCK;
    if (entry.kind === 'file' || entry.kind === 'folder') {
      const name = (longName ?? entry.name).replace(/^\.\//, '');
      if (longName !== undefined) checkName(longName);
      longName = undefined;
      const isWanted = entry.kind === 'file' && name === wanted;
      if (isWanted && found) throw broken(`it holds ${wanted} twice`);
      found ||= isWanted;
      await reader.pass(entry.size, isWanted ? sink : undefined);
    } else {
      if (entry.size > LONGEST_NAME) throw broken('it is damaged');
      const content = await reader.take(entry.size);
      if (entry.kind === 'long-name') longName = content.toString('utf8').replace(/\0+$/, '');
      if (entry.kind === 'attributes') longName = pathOfAttributes(content) ?? longName;
    }
    await reader.pass(padding);
  }
  await reader.drain();
  if (!found) throw broken(`it does not hold ${wanted}`);
}

async function* unzipped(archive: Buffer): AsyncGenerator<Buffer> {
  const stream = Readable.from(pieces(archive)).pipe(createGunzip());
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isCut = code === 'Z_BUF_ERROR';
    throw broken(isCut ? 'it ends too early' : 'it is no gzip file, or damaged', error);
  }
}

function* pieces(archive: Buffer): Generator<Buffer> {
  const step = 1024 * 1024;
  for (let at = 0; at < archive.length; at += step) yield archive.subarray(at, at + step);
}

/** Gives the bytes of a stream in amounts that are asked for. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #total = 0;

  constructor(source: AsyncGenerator<Buffer>) {
    this.#source = source;
  }

  /** The next `size` bytes. */
  async take(size: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    await this.pass(size, async (chunk) => void chunks.push(chunk));
    return Buffer.concat(chunks);
  }

  /** Passes the next `size` bytes on, or over. */
  async pass(size: number, sink?: Sink): Promise<void> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#next())) throw broken('it ends too early');
      const chunk = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      left -= chunk.length;
      await sink?.(chunk);
    }
  }

  /** Reads what is left, which holds the checksum of the whole. */
  async drain(): Promise<void> {
    while (await this.#next());
  }

  async #next(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done === true) return false;
    this.#total += value.length;
    if (this.#total > LARGEST) throw broken('it is too large');
    this.#rest = value;
    return true;
  }
}
