import { compareNames } from '../core/name-order.ts';
import { RecordBytes, type RecordFormat, type RecordSource } from './record-format.ts';

/** Size of the first block, in bytes; more than any record takes. */
const FIRST_BLOCK = 16 * 1024;

/** Size of later blocks, in bytes. */
const BLOCK = 128 * 1024;

/** Where a record is: the number of its block times `BLOCK`, plus its offset there. */
type Place = number;

/**
 * Records that are not written yet, by name. They are kept as bytes: the garbage collector would move objects again and
 * again, and they are encoded in the end anyway. In blocks: one that grew would be copied, and what it had before would
 * stay in memory until all of it is collected.
 */
export class FreshRecords<T extends { readonly name: string }> {
  readonly #format: RecordFormat<T>;
  readonly #places = new Map<string, Place>();
  readonly #blocks: RecordBytes[] = [];
  /** End of the last block. */
  #end = 0;
  #size = 0;

  constructor(format: RecordFormat<T>) {
    this.#format = format;
  }

  /** Number of records. */
  get count(): number {
    return this.#places.size;
  }

  /** The size of all records, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** The record of a name. */
  get(name: string): T | undefined {
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    const { all, at } = recordAt(this.#blocks, place);
    return this.#format.decode(all, at, name);
  }

  /** Adds a record, or replaces that of the same name. Skips what no record can hold. */
  set(record: T): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || this.#end + this.#format.longest > block.bytes.length) {
      const size = block === undefined ? FIRST_BLOCK : BLOCK;
      block = new RecordBytes(Buffer.allocUnsafeSlow(size));
      this.#blocks.push(block);
      this.#end = 0;
    }
    const end = this.#format.encode(record, block, this.#end);
    if (end === undefined) return;
    this.#places.set(record.name, (this.#blocks.length - 1) * BLOCK + this.#end);
    this.#size += end - this.#end;
    this.#end = end;
  }

  /** All records, sorted by name. */
  sorted(): RecordSource<T> {
    return new SortedRecords(this.#format, this.#blocks, this.#places);
  }
}

class SortedRecords<T extends { readonly name: string }> implements RecordSource<T> {
  readonly #format: RecordFormat<T>;
  readonly #blocks: readonly RecordBytes[];
  readonly #places: ReadonlyMap<string, Place>;
  readonly #names: readonly string[];
  #next = 0;
  name: string | undefined;

  constructor(
    format: RecordFormat<T>,
    blocks: readonly RecordBytes[],
    places: ReadonlyMap<string, Place>,
  ) {
    this.#format = format;
    this.#blocks = blocks;
    this.#places = places;
    this.#names = [...places.keys()].sort(compareNames);
    this.advance();
  }

  advance(): void {
    this.name = this.#names[this.#next++];
  }

  record(): T | undefined {
    if (this.name === undefined) return undefined;
    const { all, at } = this.#current();
    return this.#format.decode(all, at, this.name);
  }

  bytes(): Buffer {
    const { all, at } = this.#current();
    return all.bytes.subarray(at, this.#format.endOf(all, at));
  }

  #current() {
    return recordAt(this.#blocks, this.#places.get(this.name ?? '') ?? 0);
  }
}

function recordAt(blocks: readonly RecordBytes[], place: Place) {
  const all = blocks[Math.floor(place / BLOCK)];
  if (all === undefined) throw new RangeError('no such record');
  return { all, at: place % BLOCK };
}
