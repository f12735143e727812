import { endianness } from 'node:os';
import type { UsageRows } from '../../core/entry-details.ts';
import { nameFromBytes, nameToBytes } from '../../core/name-bytes.ts';
import { KEPT, makeDevice, type ReadDirectory } from './directory-reader.ts';
import type { LocalDisk } from './local-disk.ts';
import { type ListedName, listedName } from './read-names.ts';
import type { TimeType } from './time-type.ts';

/** Where `struct statx` has its fields, in units of 8, of 4 and of 2 bytes; and how far it is to the next one. */
const IN_8 = KEPT / 8;
const IN_4 = KEPT / 4;
const IN_2 = KEPT / 2;
const INODE_8 = 4;
const [LINKS_4, SIZE_4, BLOCKS_4, MAJOR_4, MINOR_4] = [4, 10, 12, 34, 35];
const MODE_2 = 14;
const TIME_4: Readonly<Record<TimeType, number>> = { atime: 16, btime: 20, ctime: 24, mtime: 28 };
const [TYPE, DIRECTORY, FILE] = [0o170000, 0o040000, 0o100000];
const TWO_32 = 2 ** 32;
/** Bits of the kinds of entries. */
const [IS_DIR, IS_SPECIAL, IS_FOREIGN] = [1, 2, 4];
/** Room for the most rows of a directory, in the lowest bits of a key for sorting. */
const ROWS = 8192;
/** Bytes of a name in such a key. */
const KEY_BYTES = 5;
const SLASH = 0x2f;
/** The bytes that mean nothing in any encoding of names: letters, digits and a few signs. */
const PLAIN = new Uint8Array(256);
for (const sign of Buffer.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+'))
  PLAIN[sign] = 1;
/** The same for bytes that are neither the first nor the last of a name. */
const PLAIN_WITHIN = PLAIN.slice();
for (const sign of Buffer.from('. ')) PLAIN_WITHIN[sign] = 1;

/** What listings of a disk with its usage say about a directory, read from what the system gave. */
export class LocalUsageRows implements UsageRows {
  order = new Uint16Array(0);
  names: Uint8Array = new Uint8Array(0);
  starts: Uint32Array = new Uint32Array(0);
  ends: Uint32Array = new Uint32Array(0);
  #kinds = new Uint8Array(64);
  #in8 = new BigUint64Array(0);
  #in4 = new Uint32Array(0);
  #in2 = new Uint16Array(0);
  readonly #disk: LocalDisk;
  readonly #time: number;

  constructor(disk: LocalDisk) {
    this.#disk = disk;
    this.#time = TIME_4[disk.settings.timeType];
  }

  /** Takes what was read of a directory; `undefined` if it has to be listed: a name is not UTF-8. */
  of(nativeDir: string, read: ReadDirectory): this | undefined {
    if (endianness() !== 'LE') return undefined;
    const { count, attributes } = read;
    [this.names, this.starts, this.ends] = [read.entries, read.starts, read.ends];
    if (this.#in4.buffer !== attributes) {
      this.#in8 = new BigUint64Array(attributes);
      this.#in4 = new Uint32Array(attributes);
      this.#in2 = new Uint16Array(attributes);
    }
    if (this.#kinds.length < count) this.#kinds = new Uint8Array(count * 2);
    const { oneFileSystem } = this.#disk.settings;
    for (let row = 0; row < count; row++) {
      const type = (this.#in2[row * IN_2 + MODE_2] as number) & TYPE;
      const isDir = type === DIRECTORY;
      this.#kinds[row] = isDir ? IS_DIR : 0;
      if (!(isDir || type === FILE) || !this.#isPlain(row)) {
        if (!this.#nameAnew(nativeDir, row, type)) return undefined;
      }
      if (isDir && oneFileSystem && this.#disk.isForeign({ dev: this.#device(row) }))
        this.#kinds[row] = IS_DIR | IS_FOREIGN;
    }
    this.#sort(count);
    return this;
  }

  get device(): bigint {
    return this.#device(this.order[0] ?? 0);
  }

  otherDevice(row: number): bigint | undefined {
    const at = row * IN_4;
    const first = (this.order[0] as number) * IN_4;
    const isSame =
      this.#in4[at + MINOR_4] === this.#in4[first + MINOR_4] &&
      this.#in4[at + MAJOR_4] === this.#in4[first + MAJOR_4];
    return isSame ? undefined : this.#device(row);
  }

  isDir(row: number): boolean {
    return ((this.#kinds[row] as number) & IS_DIR) !== 0;
  }

  isSpecial(row: number): boolean {
    return ((this.#kinds[row] as number) & IS_SPECIAL) !== 0;
  }

  isForeign(row: number): boolean {
    return ((this.#kinds[row] as number) & IS_FOREIGN) !== 0;
  }

  size(row: number): number {
    return this.isForeign(row) ? 0 : this.#long(row, SIZE_4);
  }

  bytes(row: number): number {
    return this.isForeign(row) ? 0 : this.#long(row, BLOCKS_4) * 512;
  }

  copyInode(row: number, into: BigUint64Array, at: number): void {
    into[at] = this.#in8[row * IN_8 + INODE_8] as bigint;
  }

  links(row: number): number {
    return this.isDir(row) ? 1 : (this.#in4[row * IN_4 + LINKS_4] as number);
  }

  timeMs(row: number): number {
    const at = row * IN_4 + this.#time;
    const high = (this.#in4[at + 1] as number) | 0;
    const seconds = high * TWO_32 + (this.#in4[at] as number);
    return seconds * 1000 + Math.floor((this.#in4[at + 2] as number) / 1_000_000);
  }

  /** The names of the directories that have `least` bytes or more themselves. */
  dirsFrom(least: number): string[] {
    const found: string[] = [];
    for (let at = 0; at < this.order.length; at++) {
      const row = this.order[at] as number;
      if (this.isDir(row) && this.#long(row, SIZE_4) >= least)
        found.push(nameFromBytes(this.names.subarray(this.starts[row], this.ends[row])));
    }
    return found;
  }

  #long(row: number, field: number): number {
    const at = row * IN_4 + field;
    return (this.#in4[at + 1] as number) * TWO_32 + (this.#in4[at] as number);
  }

  #device(row: number): bigint {
    const at = row * IN_4;
    return makeDevice(this.#in4[at + MAJOR_4] as number, this.#in4[at + MINOR_4] as number);
  }

  /** Whether a name is the same in listings, and not that of a temporary file. */
  #isPlain(row: number): boolean {
    const names = this.names;
    const start = this.starts[row] as number;
    const last = (this.ends[row] as number) - 1;
    if (PLAIN[names[start] as number] === 0 || PLAIN[names[last] as number] === 0) return false;
    for (let at = start + 1; at < last; at++)
      if (PLAIN_WITHIN[names[at] as number] === 0) return false;
    // `syncer-partial-…`
    return names[start] !== 0x73 || names[start + 1] !== 0x79;
  }

  /** Finds out what listings make of an entry; `false` if only they can. */
  #nameAnew(nativeDir: string, row: number, type: number): boolean {
    const native = nameFromBytes(this.names.subarray(this.starts[row], this.ends[row]));
    if (!native.isWellFormed()) return false;
    const dirent = {
      isDirectory: () => type === DIRECTORY,
      isFile: () => type === FILE,
      isSymbolicLink: () => type === 0o120000,
    };
    // Its path is for messages about what is left out: nothing is.
    const listed = listedName(this.#disk, '', nativeDir, native, dirent, true) as ListedName;
    if (listed.isSpecial) this.#kinds[row] = IS_SPECIAL;
    const name = listed.isDir ? listed.key.slice(0, -1) : listed.key;
    if (name === native) return true;
    const bytes = nameToBytes(name);
    const end = this.names.length;
    this.names = Buffer.concat([this.names, bytes]);
    this.starts[row] = end;
    this.ends[row] = end + bytes.length;
    return true;
  }

  /** By the bytes of names, those of directories with a slash: as `compareEntries`. */
  #sort(count: number): void {
    const order = new Uint16Array(count);
    const keys = new Float64Array(count);
    const common = this.#commonStart(count);
    for (let row = 0; row < count; row++) {
      const start = (this.starts[row] as number) + common;
      let key = 0;
      for (let at = start; at < start + KEY_BYTES; at++) key = key * 256 + this.#byte(row, at);
      keys[row] = key * ROWS + row;
    }
    keys.sort();
    let from = 0;
    for (let at = 0; at < count; at++) {
      order[at] = (keys[at] as number) % ROWS;
      if (at + 1 < count && keyOf(keys, at) === keyOf(keys, at + 1)) continue;
      if (at > from) order.subarray(from, at + 1).sort((a, b) => this.#compare(a, b));
      from = at + 1;
    }
    this.order = order;
  }

  /** How many bytes all names have in common at their start. */
  #commonStart(count: number): number {
    const { names, starts, ends } = this;
    const first = starts[0] as number;
    let common = count === 0 ? 0 : (ends[0] as number) - first;
    for (let row = 1; row < count && common > 0; row++) {
      const start = starts[row] as number;
      const most = Math.min(common, (ends[row] as number) - start);
      let same = 0;
      while (same < most && names[start + same] === names[first + same]) same++;
      common = same;
    }
    return common;
  }

  /** A byte of what a name is sorted by; 0 behind its end. */
  #byte(row: number, at: number): number {
    const end = this.ends[row] as number;
    if (at < end) return this.names[at] as number;
    return at === end && this.isDir(row) ? SLASH : 0;
  }

  #compare(a: number, b: number): number {
    let i = this.starts[a] as number;
    let j = this.starts[b] as number;
    for (;;) {
      const x = this.#byte(a, i++);
      const y = this.#byte(b, j++);
      if (x !== y || x === 0) return x - y;
    }
  }
}

const keyOf = (keys: Float64Array, at: number): number => Math.floor((keys[at] as number) / ROWS);
