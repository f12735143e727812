import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { compareNames } from '../core/name-order.ts';
import { RecordBytes, type RecordFormat } from './record-format.ts';
import { BLOCK_HEAD, BLOCK_SIZE, READ_ONLY, segmentHead } from './segment-writer.ts';

/** A block of the file; `at` is behind its head. */
interface Block {
  readonly at: number;
  readonly length: number;
  readonly sum: number;
  /** The name of its first record, once it was read. */
  first?: string;
}

/** The records of a block that was read. */
interface ReadBlock {
  readonly all: RecordBytes;
  readonly names: readonly string[];
  readonly ats: readonly number[];
}

/** How many blocks are kept in memory. */
const KEPT_BLOCKS = 4;

/**
 * Finds single records of a segment by name, block by block. Nothing throws: after damage or truncation it finds
 * nothing.
 */
export class SegmentFinder<T extends { readonly name: string }> {
  readonly #format: RecordFormat<T>;
  readonly #seed: number;
  #file: number | undefined;
  #blocks: Block[] = [];
  readonly #kept = new Map<number, ReadBlock>();

  /** Opens the segment of `id`. */
  constructor(format: RecordFormat<T>, path: string, id: string) {
    this.#format = format;
    const head = segmentHead(format, id);
    this.#seed = crc32(head);
    try {
      this.#file = openSync(path, READ_ONLY);
      if (!this.#read(0, head.length).equals(head)) throw new RangeError('not a segment');
      this.#blocks = this.#findBlocks(head.length);
    } catch {
      this.close();
    }
  }

  find(name: string): T | undefined {
    if (this.#file === undefined) return undefined;
    try {
      const block = this.#blockFor(name);
      if (block === undefined) return undefined;
      const index = lastAtMost(block.names.length, (i) => compareNames(block.names[i] ?? '', name));
      const at = block.ats[index];
      if (at === undefined || block.names[index] !== name) return undefined;
      return this.#format.decode(block.all, at, name);
    } catch {
      this.close();
      return undefined;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#kept.clear();
  }

  #blockFor(name: string): ReadBlock | undefined {
    const index = lastAtMost(this.#blocks.length, (i) => compareNames(this.#firstName(i), name));
    return index < 0 ? undefined : this.#block(index);
  }

  #firstName(index: number): string {
    const block = this.#blocks[index];
    if (block === undefined) throw new RangeError('no such block');
    block.first ??= this.#block(index).names[0] ?? '';
    return block.first;
  }

  #block(index: number): ReadBlock {
    const kept = this.#kept.get(index);
    if (kept !== undefined) return kept;
    const block = this.#blocks[index];
    if (block === undefined) throw new RangeError('no such block');
    const bytes = this.#read(block.at, block.length);
    if (crc32(bytes, this.#seed) !== block.sum) throw new RangeError('damaged block');
    const names: string[] = [];
    const ats: number[] = [];
    const all = new RecordBytes(bytes);
    for (let at = 0; at < bytes.length; at = this.#format.endOf(all, at)) {
      names.push(this.#format.nameAt(all, at));
      ats.push(at);
    }
    const read = { all, names, ats };
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= KEPT_BLOCKS && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(index, read);
    return read;
  }

  #findBlocks(from: number): Block[] {
    const blocks: Block[] = [];
    const end = this.#file === undefined ? 0 : fstatSync(this.#file).size;
    for (let at = from; at < end; ) {
      const head = this.#read(at, BLOCK_HEAD);
      const length = head.readUInt32LE(0);
      if (length === 0 || length > BLOCK_SIZE) throw new RangeError('damaged head of a block');
      blocks.push({ at: at + BLOCK_HEAD, length, sum: head.readUInt32LE(4) });
      at += BLOCK_HEAD + length;
    }
    return blocks;
  }

  /** Throws `RangeError` if the file ends before. */
  #read(at: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    const got = this.#file === undefined ? 0 : readSync(this.#file, bytes, 0, length, at);
    if (got < length) throw new RangeError('segment ends too early');
    return bytes;
  }
}

/** The last of `count` sorted items that is not after what is sought; -1 if all are. */
function lastAtMost(count: number, compare: (index: number) => number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(middle) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
