import { compareNames } from '../core/name-order.ts';
import { RecordBytes, type RecordFormat, type RecordSource } from './record-format.ts';

/** Space for the first records, in bytes. */
const FIRST_SPACE = 16 * 1024;

/**
 * Records that are not written yet, by name. They are kept as bytes: the garbage collector would move objects again and
 * again, and they are encoded in the end anyway.
 */
export class FreshRecords<T extends { readonly name: string }> {
  readonly #format: RecordFormat<T>;
  readonly #ats = new Map<string, number>();
  #all = new RecordBytes(Buffer.alloc(0));
  #end = 0;

  constructor(format: RecordFormat<T>) {
    this.#format = format;
  }

  /** Number of records. */
  get count(): number {
    return this.#ats.size;
  }

  /** The size of all records, in bytes. */
  get size(): number {
    return this.#end;
  }

  /** The record of a name. */
  get(name: string): T | undefined {
    const at = this.#ats.get(name);
    return at === undefined ? undefined : this.#format.decode(this.#all, at, name);
  }

  /** Adds a record, or replaces that of the same name. Skips what no record can hold. */
  set(record: T): void {
    const { longest } = this.#format;
    const { bytes } = this.#all;
    if (this.#end + longest > bytes.length) {
      const size = Math.max(FIRST_SPACE, 2 * bytes.length, this.#end + longest);
      const larger = Buffer.allocUnsafeSlow(size);
      bytes.copy(larger, 0, 0, this.#end);
      this.#all = new RecordBytes(larger);
    }
    const end = this.#format.encode(record, this.#all, this.#end);
    if (end === undefined) return;
    this.#ats.set(record.name, this.#end);
    this.#end = end;
  }

  /** All records, sorted by name. */
  sorted(): RecordSource<T> {
    return new SortedRecords(this.#format, this.#all, this.#ats);
  }
}

class SortedRecords<T extends { readonly name: string }> implements RecordSource<T> {
  readonly #format: RecordFormat<T>;
  readonly #all: RecordBytes;
  readonly #ats: ReadonlyMap<string, number>;
  readonly #names: readonly string[];
  #next = 0;
  name: string | undefined;

  constructor(format: RecordFormat<T>, all: RecordBytes, ats: ReadonlyMap<string, number>) {
    this.#format = format;
    this.#all = all;
    this.#ats = ats;
    this.#names = [...ats.keys()].sort(compareNames);
    this.advance();
  }

  advance(): void {
    this.name = this.#names[this.#next++];
  }

  record(): T | undefined {
    return this.name === undefined
      ? undefined
      : this.#format.decode(this.#all, this.#at(), this.name);
  }

  bytes(): Buffer {
    const at = this.#at();
    return this.#all.bytes.subarray(at, this.#format.endOf(this.#all, at));
  }

  #at(): number {
    return this.#ats.get(this.name ?? '') ?? 0;
  }
}
