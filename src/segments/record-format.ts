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
  encode(record: T, bytes: Buffer, at: number): number | undefined;
  /** The name of the record at `at`. Throws `RangeError` if the bytes end too early, as `end` does. */
  nameAt(bytes: Buffer, at: number): string;
  /** The end of the record at `at`. */
  endOf(bytes: Buffer, at: number): number;
  /** The record at `at`, whose name was already read. */
  decode(bytes: Buffer, at: number, name: string): T;
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
