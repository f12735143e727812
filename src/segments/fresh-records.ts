import { compareNames } from '../core/name-order.ts';
import type { RecordFormat, RecordSource } from './record-format.ts';

/** Space for the first records, in bytes. */
const FIRST_SPACE = 16 * 1024;

/**
 * Records that are not written yet, by name. They are kept as bytes: the garbage collector would move objects again and
 * again, and they are encoded in the end anyway.
 */
export class FreshRecords<T extends { readonly name: string }> {
  readonly #format: RecordFormat<T>;
  readonly #ats = new Map<string, number>();
  #bytes: Buffer = Buffer.alloc(0);
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
    return at === undefined ? undefined : this.#format.decode(this.#bytes, at, name);
  }

  /** Adds a record, or replaces that of the same name. Skips what no record can hold. */
  set(record: T): void {
    const { longest } = this.#format;
    if (this.#end + longest > this.#bytes.length) {
      const size = Math.max(FIRST_SPACE, 2 * this.#bytes.length, this.#end + longest);
      const larger = Buffer.allocUnsafeSlow(size);
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    const end = this.#format.encode(record, this.#bytes, this.#end);
    if (end === undefined) return;
    this.#ats.set(record.name, this.#end);
    this.#end = end;
  }

  /** All records, sorted by name. */
  sorted(): RecordSource<T> {
    return new SortedRecords(this.#format, this.#bytes, this.#ats);
  }
}

class SortedRecords<T extends { readonly name: string }> implements RecordSource<T> {
  readonly #format: RecordFormat<T>;
  readonly #bytes: Buffer;
  readonly #ats: ReadonlyMap<string, number>;
  readonly #names: readonly string[];
  #next = 0;
  name: string | undefined;

  constructor(format: RecordFormat<T>, bytes: Buffer, ats: ReadonlyMap<string, number>) {
    this.#format = format;
    this.#bytes = bytes;
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
      : this.#format.decode(this.#bytes, this.#at(), this.name);
  }

  bytes(): Buffer {
    const at = this.#at();
    return this.#bytes.subarray(at, this.#format.endOf(this.#bytes, at));
  }

  #at(): number {
    return this.#ats.get(this.name ?? '') ?? 0;
  }
}
