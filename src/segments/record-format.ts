/** How the records of a segment are written; each has a name, by which they are sorted. */
export interface RecordFormat<T extends { readonly name: string }> {
  /** The first line of the file: what the records are, and the version of their form. */
  readonly magic: string;
  /** The bytes of a record; `undefined` if it does not fit (it is then not kept). */
  encode(record: T): Buffer | undefined;
  /** The name of the record at `at`. Throws `RangeError` if the bytes end too early, as `end` does. */
  nameAt(bytes: Buffer, at: number): string;
  /** The end of the record at `at`. */
  endOf(bytes: Buffer, at: number): number;
  /** The record at `at`, whose name was already read. */
  decode(bytes: Buffer, at: number, name: string): T;
}
