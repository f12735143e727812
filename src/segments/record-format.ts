import { nameFromBytes } from '../core/name-bytes.ts';

/** The bytes of records, and the same to read and write numbers, in less time than by the methods of `Buffer`. */
export class RecordBytes {
  readonly bytes: Buffer;
  readonly view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

/** A number of 6 bytes, in little endian. */
export function readUint48(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32;
}

/** Writes a whole number of at most 6 bytes, in little endian. */
export function writeUint48(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint16(at + 4, Math.floor(value / 2 ** 32), true);
}

/** The name of a record: its length is the first number, its bytes follow `fixed` others. Throws as `nameAt` does. */
export function nameBehind(fixed: number, { bytes, view }: RecordBytes, at: number): string {
  const end = at + fixed + view.getUint16(at, true);
  if (end > bytes.length) throw new RangeError('record ends too early');
  const text = bytes.toString('utf8', at + fixed, end);
  // What is not UTF-8 has become this character, which a name may also have.
  return text.includes('\ufffd') ? nameFromBytes(bytes.subarray(at + fixed, end)) : text;
}

/** How the records of a segment are written; each has a name, by which they are sorted. */
export interface RecordFormat<T extends { readonly name: string }> {
  /** The first line of the file: what the records are, and the version of their form. */
  readonly magic: string;
  /** The most bytes of a record. */
  readonly longest: number;
  /**
   * Writes a record at `at`, where `longest` bytes are free. Returns its end; `undefined` if it does not fit (it is then
   * not kept).
   */
  encode(record: T, all: RecordBytes, at: number): number | undefined;
  /** The name of the record at `at`. Throws `RangeError` if the bytes end too early, as `endOf` does. */
  nameAt(all: RecordBytes, at: number): string;
  /** The end of the record at `at`. */
  endOf(all: RecordBytes, at: number): number;
  /** The record at `at`, whose name was already read. */
  decode(all: RecordBytes, at: number, name: string): T;
  /**
   * Which of two records of one name is the later one, if they differ in nothing but their time: as in a comparison,
   * positive if it is the first. `undefined` if they differ in anything else.
   */
  compareAge(a: Buffer, b: Buffer): number | undefined;
}

/** Records sorted by name, of which one is the current one. */
export interface RecordSource<T extends { readonly name: string }> {
  /** The name of the current record; `undefined` after the last. */
  readonly name: string | undefined;
  /** Moves to the next record. */
  advance(): void;
  /** The current record; `undefined` after the last. */
  record(): T | undefined;
  /** The bytes of the current record, valid until the next call. */
  bytes(): Buffer;
}
