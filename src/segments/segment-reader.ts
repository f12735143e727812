import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { compareNames } from '../core/name-order.ts';
import { RecordBytes, type RecordFormat, type RecordSource } from './record-format.ts';
import { BLOCK_HEAD, BLOCK_SIZE, READ_ONLY, segmentHead } from './segment-writer.ts';

/**
 * Reads a segment record by record, one block at a time. Ends at damage or truncation (`isDamaged`): the records
 * before are good. Nothing throws.
 */
export class SegmentReader<T extends { readonly name: string }> implements RecordSource<T> {
  readonly path: string;
  /** The name of the current record; `undefined` after the last. */
  name: string | undefined;
  /** The number of the current record, from 0; without those that `skipTo` skipped. */
  ordinal = -1;
  isDamaged = false;
  readonly #format: RecordFormat<T>;
  readonly #seed: number;
  #file: number | undefined;
  /** Where the next block begins. */
  #position = 0;
  /** Buffer of one read. */
  #space: Buffer = Buffer.alloc(0);
  #block = new RecordBytes(Buffer.alloc(0));
  #at = 0;
  #next = 0;

  /** Opens the segment of `id` at its first record. */
  constructor(format: RecordFormat<T>, path: string, id: string) {
    this.#format = format;
    this.path = path;
    const head = segmentHead(format, id);
    this.#seed = crc32(head);
    try {
      this.#file = openSync(path, READ_ONLY);
      const found = this.#read(head.length);
      if (found === undefined || !found.equals(head)) this.#fail();
      this.advance();
    } catch {
      this.#fail();
    }
  }

  record(): T | undefined {
    if (this.name === undefined) return undefined;
    return this.#format.decode(this.#block, this.#at, this.name);
  }

  bytes(): Buffer {
    return this.#block.bytes.subarray(this.#at, this.#next);
  }

  /** Moves to the next record. */
  advance(): void {
    try {
      if (this.#next >= this.#block.bytes.length && !this.#readBlock()) return;
      this.#at = this.#next;
      const name = this.#format.nameAt(this.#block, this.#at);
      this.#next = this.#format.endOf(this.#block, this.#at);
      const isInOrder = this.name === undefined || compareNames(this.name, name) < 0;
      if (!isInOrder) throw new RangeError('records out of order');
      this.name = name;
      this.ordinal++;
    } catch {
      this.#fail();
    }
  }

  /** Skips whole blocks, mostly unread, as long as the next one does not begin behind `name`. */
  skipTo(name: string): void {
    const space = Buffer.allocUnsafe(BLOCK_HEAD + this.#format.longest);
    let begin = this.#position;
    try {
      for (let at = begin; ; ) {
        const got = this.#file === undefined ? 0 : readSync(this.#file, space, 0, space.length, at);
        const block = new RecordBytes(space.subarray(BLOCK_HEAD, Math.max(BLOCK_HEAD, got)));
        const isEnd = block.bytes.length === 0;
        if (isEnd || compareNames(this.#format.nameAt(block, 0), name) > 0) break;
        begin = at;
        at += BLOCK_HEAD + space.readUInt32LE(0);
      }
    } catch {
      // Damage is found where it is read.
    }
    if (begin === this.#position) return;
    this.#position = begin;
    this.#next = this.#block.bytes.length;
    this.advance();
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.name = undefined;
  }

  #fail(): void {
    this.isDamaged = true;
    this.close();
  }

  /** Reads the next block; `false` at the end of the file. */
  #readBlock(): boolean {
    const head = this.#read(BLOCK_HEAD);
    if (head === undefined) {
      this.close();
      return false;
    }
    const length = head.readUInt32LE(0);
    const sum = head.readUInt32LE(4);
    const block = length > 0 && length <= BLOCK_SIZE ? this.#read(length) : undefined;
    if (block === undefined || crc32(block, this.#seed) !== sum) {
      this.#fail();
      return false;
    }
    this.#block = new RecordBytes(block);
    this.#next = 0;
    return true;
  }

  /**
   * Exactly `length` bytes, valid until the next call; `undefined` at the end of the file. Throws `RangeError` if
   * only some are left.
   */
  #read(length: number): Buffer | undefined {
    if (this.#file === undefined) return undefined;
    if (this.#space.length < length) this.#space = Buffer.allocUnsafeSlow(length);
    const bytes = this.#space.subarray(0, length);
    let got = 0;
    while (got < length) {
      const read = readSync(this.#file, bytes, got, length - got, this.#position + got);
      if (read === 0) break;
      got += read;
    }
    this.#position += got;
    if (got === 0) return undefined;
    if (got < length) throw new RangeError('segment ends too early');
    return bytes;
  }
}
