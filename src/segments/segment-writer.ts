import { closeSync, constants, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { RecordBytes, type RecordFormat } from './record-format.ts';

/** The most bytes of records in a block. */
export const BLOCK_SIZE = 64 * 1024;

/** Before each block: its length, and the CRC-32 of the block and the head; 4 bytes each. */
export const BLOCK_HEAD = 8;

/** How a segment is opened to be read: what has become a pipe must not keep the program waiting. */
export const READ_ONLY = constants.O_RDONLY | constants.O_NONBLOCK;

/** Enough for the only block of most segments, in bytes. */
const FIRST_SPACE = 8 * 1024;

/** The head of a segment: its magic line, and what it is about. */
export function segmentHead({ magic }: { readonly magic: string }, id: string): Buffer {
  return Buffer.from(`${magic}${id}\n`, 'latin1');
}

/**
 * Writes a segment: a file of records sorted by name, in blocks with checksums. It appears under its name when
 * complete. Throws errors of the file system.
 */
export class SegmentWriter<T extends { readonly name: string }> {
  readonly format: RecordFormat<T>;
  readonly #path: string;
  readonly #temporary: string;
  readonly #seed: number;
  #block: Buffer = Buffer.allocUnsafe(FIRST_SPACE);
  #end = BLOCK_HEAD;
  /** For one record. */
  #space: RecordBytes | undefined;
  #file: number | undefined;

  /** Starts one for `id` at `path`, through the file `temporary`; neither may exist. */
  constructor(format: RecordFormat<T>, path: string, temporary: string, id: string) {
    this.format = format;
    this.#path = path;
    this.#temporary = temporary;
    const head = segmentHead(format, id);
    this.#seed = crc32(head);
    this.#file = openSync(temporary, 'wx', 0o600);
    writeAll(this.#file, head);
  }

  /** Adds a record; its name must come after the previous ones. Skips what no record can hold. */
  add(record: T): void {
    this.#space ??= new RecordBytes(Buffer.allocUnsafe(this.format.longest));
    const end = this.format.encode(record, this.#space, 0);
    if (end !== undefined) this.addBytes(this.#space.bytes.subarray(0, end));
  }

  /** As `add`, for a record that is encoded. */
  addBytes(bytes: Buffer): void {
    if (this.#end + bytes.length > BLOCK_HEAD + BLOCK_SIZE) this.#writeBlock();
    if (this.#end + bytes.length > this.#block.length) {
      const larger = Buffer.allocUnsafeSlow(BLOCK_HEAD + BLOCK_SIZE);
      this.#block.copy(larger, 0, 0, this.#end);
      this.#block = larger;
    }
    this.#end += bytes.copy(this.#block, this.#end);
  }

  /** Makes the segment visible. */
  commit(): void {
    this.#writeBlock();
    this.#close();
    renameSync(this.#temporary, this.#path);
  }

  /** Discards what was written. */
  discard(): void {
    this.#close();
    unlinkSync(this.#temporary);
  }

  #writeBlock(): void {
    if (this.#end === BLOCK_HEAD || this.#file === undefined) return;
    const payload = this.#block.subarray(BLOCK_HEAD, this.#end);
    this.#block.writeUInt32LE(payload.length, 0);
    this.#block.writeUInt32LE(crc32(payload, this.#seed), 4);
    writeAll(this.#file, this.#block.subarray(0, this.#end));
    this.#end = BLOCK_HEAD;
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
