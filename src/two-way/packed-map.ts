import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';

/** Length of the buffers that texts are kept in; a longer one has a buffer of its own. */
const CHUNK = 1024 ** 2;

/** Numbers for each row: its buffer, where its key begins, and the lengths of key and value. */
const COLUMNS = 4;

/** The length of the value of a deleted row. */
const DELETED = 0xffffffff;

/**
 * Texts by path, in buffers outside the heap: of hundreds of thousands a map of objects takes several times as much,
 * and slows the garbage collector. In the order in which keys were set first.
 */
export class PackedMap {
  readonly #chunks: Buffer[] = [];
  #end = 0;
  #rows = new Uint32Array(64 * COLUMNS);
  #rowCount = 0;
  /** Rows by the hash of their key, counted from 1; 0 is a free place. */
  #places = new Uint32Array(128);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many rows there are, deleted ones too. */
  get rows(): number {
    return this.#rowCount;
  }

  /** The number of a key; -1 if it is not there. */
  rowOf(key: string): number {
    const row = this.#find(nameToBytes(key));
    return row >= 0 && this.#rows[row * COLUMNS + 3] !== DELETED ? row : -1;
  }

  has(key: string): boolean {
    return this.rowOf(key) >= 0;
  }

  get(key: string): string | undefined {
    const row = this.rowOf(key);
    return row < 0 ? undefined : this.valueAt(row);
  }

  /** The key of a row; `undefined` if it was deleted. */
  keyAt(row: number): string | undefined {
    const [chunk = 0, start = 0, length = 0, valueLength] = this.#row(row);
    if (valueLength === DELETED) return undefined;
    return nameFromBytes((this.#chunks[chunk] as Buffer).subarray(start, start + length));
  }

  valueAt(row: number): string {
    const [chunk = 0, start = 0, length = 0, valueLength = 0] = this.#row(row);
    const from = start + length;
    return (this.#chunks[chunk] as Buffer).toString('utf8', from, from + valueLength);
  }

  /** Sets the text of a key, which has to be well-formed. */
  set(key: string, value = ''): this {
    const [keyBytes, valueBytes] = [nameToBytes(key), Buffer.from(value)];
    let row = this.#find(keyBytes);
    if (row < 0) {
      row = this.#rowCount++;
      if (this.#rowCount * COLUMNS > this.#rows.length) this.#rows = longer(this.#rows);
      this.#place(row, keyBytes);
      this.#size++;
    } else if (this.#rows[row * COLUMNS + 3] === DELETED) this.#size++;
    else if (this.valueAt(row) === value) return this;
    const length = keyBytes.length + valueBytes.length;
    const room = this.#chunks.at(-1)?.length ?? 0;
    if (this.#end + length > room) {
      this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK, length)));
      this.#end = 0;
    }
    const chunk = this.#chunks.length - 1;
    const bytes = this.#chunks[chunk] as Buffer;
    keyBytes.copy(bytes, this.#end);
    valueBytes.copy(bytes, this.#end + keyBytes.length);
    this.#rows.set([chunk, this.#end, keyBytes.length, valueBytes.length], row * COLUMNS);
    this.#end += length;
    return this;
  }

  delete(key: string): boolean {
    const row = this.rowOf(key);
    if (row < 0) return false;
    this.#rows[row * COLUMNS + 3] = DELETED;
    this.#size--;
    return true;
  }

  *keys(): Generator<string> {
    for (let row = 0; row < this.#rowCount; row++) {
      const key = this.keyAt(row);
      if (key !== undefined) yield key;
    }
  }

  #row(row: number): Uint32Array {
    return this.#rows.subarray(row * COLUMNS, (row + 1) * COLUMNS);
  }

  #find(key: Buffer): number {
    const mask = this.#places.length - 1;
    for (let at = hashOf(key) & mask; ; at = (at + 1) & mask) {
      const row = (this.#places[at] as number) - 1;
      if (row < 0) return -1;
      const [chunk = 0, start = 0, length = 0] = this.#row(row);
      if (length !== key.length) continue;
      const bytes = this.#chunks[chunk] as Buffer;
      if (bytes.compare(key, 0, length, start, start + length) === 0) return row;
    }
  }

  /** Notes where a new row is found. Half of the places are free, so that few keys share one. */
  #place(row: number, key: Buffer): void {
    if (this.#rowCount * 2 > this.#places.length) {
      this.#places = new Uint32Array(this.#places.length * 2);
      for (let each = 0; each < row; each++) {
        const [chunk = 0, start = 0, length = 0] = this.#row(each);
        this.#put(each, (this.#chunks[chunk] as Buffer).subarray(start, start + length));
      }
    }
    this.#put(row, key);
  }

  #put(row: number, key: Buffer): void {
    const mask = this.#places.length - 1;
    let at = hashOf(key) & mask;
    while (this.#places[at] !== 0) at = (at + 1) & mask;
    this.#places[at] = row + 1;
  }
}

/** Paths, in buffers outside the heap. */
export class PackedSet {
  readonly #map = new PackedMap();

  get size(): number {
    return this.#map.size;
  }

  has(path: string): boolean {
    return this.#map.has(path);
  }

  add(path: string): this {
    this.#map.set(path);
    return this;
  }

  [Symbol.iterator](): Generator<string> {
    return this.#map.keys();
  }
}

/** FNV-1a. */
function hashOf(bytes: Buffer): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function longer(rows: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(rows.length * 2);
  copy.set(rows);
  return copy;
}
