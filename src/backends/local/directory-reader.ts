import { closeSync, constants, openSync } from 'node:fs';
import { fsPath, joinNative } from '../../system/fs-path.ts';
import { type Libc, loadLibc } from '../../system/libc.ts';
import type { FileAttributes } from './local-entry.ts';

/** How much of a directory is read for its names as text, in bytes: some two hundred. */
const FEW_ENTRIES = 8 * 1024;
/** How much of a directory is read at most: some two thousand names. */
const ENTRIES = 64 * 1024;
/** The fewest and the most bytes that an entry takes. */
const LEAST_ENTRY = 24;
const MOST_ENTRY = 280;
/** Where an entry of the system has its length, and its name, in bytes (`struct linux_dirent64`). */
const LENGTH = 16;
const NAME = 19;
/** How much is kept of each `struct statx`, in bytes: the next one is written over fields that are not used. */
export const KEPT = 144;
const WHOLE = 256;
const ENOENT = 2;
const DOT = 0x2e;

/** A directory as the system gives it: an index for each name, in its order. Valid until the next call. */
export interface ReadDirectory {
  readonly count: number;
  /** Holds the names, from `starts` to `ends`. */
  readonly entries: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** A `struct statx` for each, `KEPT` bytes apart. */
  readonly attributes: ArrayBuffer;
}

/** Names and attributes by Linux's `getdents64` and `statx`: Node's `readdir` makes an object for each name. */
export class DirectoryReader {
  readonly #open: ReturnType<Libc['func']>;
  readonly #close: ReturnType<Libc['func']>;
  readonly #getdents: ReturnType<Libc['func']>;
  readonly #statx: ReturnType<Libc['func']>;
  readonly #libc: Libc;
  readonly #entries = Buffer.allocUnsafeSlow(ENTRIES);
  readonly #lengths = new Uint16Array(this.#entries.buffer);
  readonly #starts = new Uint32Array(Math.ceil(ENTRIES / LEAST_ENTRY));
  readonly #ends = new Uint32Array(this.#starts.length);
  readonly #entriesAt: number;
  readonly #attributes = new ArrayBuffer(this.#starts.length * KEPT + WHOLE);
  readonly #attributesAt: number;
  readonly #fields: StatxFields;

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#open = libc.func('open', 'int', ['str', 'int']);
    this.#close = libc.func('close', 'int', ['int']);
    // Places inside buffers are passed as numbers.
    this.#getdents = libc.func('getdents64', 'int64', ['int', 'uint64', 'size_t']);
    this.#statx = libc.func('statx', 'int', ['int', 'uint64', 'int', 'uint', 'uint64']);
    this.#entriesAt = Number(libc.address(this.#entries));
    this.#attributesAt = Number(libc.address(new Uint8Array(this.#attributes)));
    this.#fields = new StatxFields(this.#attributes);
  }

  /** The names there are; `undefined` if it is large, a name is not UTF-8, or something fails. */
  read(path: string): string[] | undefined {
    const count = this.#readTo(path, FEW_ENTRIES);
    if (count === undefined) return undefined;
    const names: string[] = [];
    for (let index = 0; index < count; index++) {
      const text = this.#entries.toString('utf8', this.#starts[index], this.#ends[index]);
      if (text.includes('\ufffd')) return undefined;
      names.push(text);
    }
    return names;
  }

  /** The same without a text for each name, which may be any bytes, and of larger directories. */
  readAll(path: string): ReadDirectory | undefined {
    const count = this.#readTo(path, ENTRIES);
    if (count === undefined) return undefined;
    const [starts, ends] = [this.#starts, this.#ends];
    return { count, entries: this.#entries, starts, ends, attributes: this.#attributes };
  }

  /** The attributes of a name that was read, by its index, without following links; valid until the next call. */
  attributes(index: number): FileAttributes {
    return this.#fields.at(index * KEPT);
  }

  /** Reads a directory whose entries take `most` bytes at most; returns the number of its names. */
  #readTo(path: string, most: number): number | undefined {
    const fd = Number(this.#open(path, constants.O_RDONLY | constants.O_DIRECTORY | CLOSE_ON_EXEC));
    if (fd < 0) return undefined;
    try {
      let length = 0;
      for (;;) {
        if (most - length < MOST_ENTRY) return undefined;
        const read = Number(this.#getdents(fd, this.#entriesAt + length, most - length));
        if (read < 0) return undefined;
        if (read === 0) return this.#lookAtNames(fd, length);
        length += read;
      }
    } finally {
      this.#close(fd);
    }
  }

  #lookAtNames(fd: number, length: number): number | undefined {
    const entries = this.#entries;
    const [starts, ends] = [this.#starts, this.#ends];
    let count = 0;
    for (let at = 0; at < length; at += this.#lengths[(at + LENGTH) / 2] ?? length) {
      const start = at + NAME;
      let end = start;
      while (entries[end] !== 0) end++;
      const dots = entries[start] === DOT ? end - start : 0;
      if (dots === 1 || (dots === 2 && entries[start + 1] === DOT)) continue;
      const into = this.#attributesAt + count * KEPT;
      const name = this.#entriesAt + start;
      if (this.#statx(fd, name, NO_FOLLOW, BASIC_STATS_AND_BIRTH, into) !== 0) {
        if (this.#libc.errno() === ENOENT) continue;
        return undefined;
      }
      starts[count] = start;
      ends[count++] = end;
    }
    return count;
  }
}

/** What reads names and directories through the C library, as far as this machine has it. */
export interface Readers {
  readonly statx?: Statx;
  readonly reader?: DirectoryReader;
}

let loaded: Promise<Readers> | undefined;

/** Loads the readers of this machine, once. */
export function loadReaders(): Promise<Readers> {
  loaded ??= (async () => {
    if (process.platform !== 'linux') return {};
    const libc = await loadLibc().catch(() => undefined);
    if (libc === undefined) return {};
    const statx = new Statx(libc);
    try {
      return { statx, reader: new DirectoryReader(libc) };
    } catch {
      // glibc has `getdents64` since version 2.30.
      return { statx };
    }
  })();
  return loaded;
}

const CURRENT_DIR = -100;
/** For `open`, as Node does it; the same on all machines. */
export const CLOSE_ON_EXEC = 0o2_000_000;
/** A link itself is looked at, and not its target. */
export const NO_FOLLOW = 0x100;
/** A place to look names up, which the user need not be able to read. `O_PATH` is the same on all machines. */
const DIRECTORY = constants.O_DIRECTORY | 0o10_000_000;
/** How many names of a directory are looked up before opening it pays. */
const MANY = 8;
/** Type, mode, times, links, inode, size, blocks, and the time of creation. */
export const BASIC_STATS_AND_BIRTH = 0xfff;
/** Where `struct statx`, which is the same on all machines, has its times: in units of 8 and of 4 bytes. */
const TIMES = { atime: [8, 18], btime: [10, 22], ctime: [12, 26], mtime: [14, 30] } as const;

/** The number of a device, as `makedev` has it. */
export function makeDevice(high: number, low: number): bigint {
  const [major, minor] = [BigInt(high), BigInt(low)];
  const short = ((major & 0xfffn) << 8n) | (minor & 0xffn);
  return short | ((minor & ~0xffn) << 12n) | ((major & ~0xfffn) << 32n);
}

/** The attributes of one file after the other, as `struct statx` has them, each valid until the next. */
export class StatxFields implements FileAttributes {
  readonly #int64: BigInt64Array;
  readonly #uint32: Uint32Array;
  readonly #uint16: Uint16Array;
  /** Where the structure begins, in bytes. */
  #from = 0;

  constructor(buffer: ArrayBufferLike) {
    this.#int64 = new BigInt64Array(buffer);
    this.#uint32 = new Uint32Array(buffer);
    this.#uint16 = new Uint16Array(buffer);
  }

  /** Goes to the structure at a multiple of eight bytes. */
  at(from: number): this {
    this.#from = from;
    return this;
  }

  isDirectory = () => this.#isOf(0o040000);
  isFile = () => this.#isOf(0o100000);
  isSymbolicLink = () => this.#isOf(0o120000);

  get nlink(): bigint {
    return BigInt(this.#word(4));
  }

  /** As Node has it: negative from 2 ** 63 on. */
  get ino(): bigint {
    return this.#long(4);
  }

  get size(): bigint {
    return this.#long(5);
  }

  get blocks(): bigint {
    return this.#long(6);
  }

  get dev(): bigint {
    return makeDevice(this.#word(34), this.#word(35));
  }

  get atimeNs(): bigint {
    return this.#time('atime');
  }

  get birthtimeNs(): bigint {
    return this.#time('btime');
  }

  get ctimeNs(): bigint {
    return this.#time('ctime');
  }

  get mtimeNs(): bigint {
    return this.#time('mtime');
  }

  #isOf(type: number): boolean {
    return ((this.#uint16[this.#from / 2 + 14] ?? 0) & 0o170000) === type;
  }

  #time(name: keyof typeof TIMES): bigint {
    const at = TIMES[name];
    return this.#long(at[0]) * 1_000_000_000n + BigInt(this.#word(at[1]));
  }

  #long(index: number): bigint {
    return this.#int64[this.#from / 8 + index] ?? 0n;
  }

  #word(index: number): number {
    return this.#uint32[this.#from / 4 + index] ?? 0;
  }
}

/** The attributes of one file after the other by Linux's `statx`: Node's `lstat` makes thirty objects for each. */
export class Statx extends StatxFields {
  readonly #statx: ReturnType<Libc['func']>;
  readonly #bytes: ArrayBuffer;
  #dir = '';
  /** The directory, open; `undefined`: names are looked up by their whole path. */
  #open: number | undefined;

  constructor(libc: Pick<Libc, 'func'>) {
    const bytes = new ArrayBuffer(256);
    super(bytes);
    this.#bytes = bytes;
    this.#statx = libc.func('statx', 'int', ['int', 'str', 'int', 'uint', 'void *']);
  }

  /** Goes to a directory, of which this many names are looked up. */
  enter(dir: string, names: number): void {
    this.#dir = dir;
    if (names < MANY) return;
    try {
      this.#open = openSync(fsPath(dir), DIRECTORY);
    } catch {
      // Looking up a name will say why.
    }
  }

  leave(): void {
    if (this.#open !== undefined) closeSync(this.#open);
    this.#open = undefined;
  }

  /** Reads the attributes of a name in the directory; `false` if that fails, or it is not UTF-8: Node then knows more. */
  read(name: string, follow: boolean): boolean {
    const path = this.#open === undefined ? joinNative(this.#dir, name) : name;
    if (!path.isWellFormed()) return false;
    const flags = follow ? 0 : NO_FOLLOW;
    const at = this.#open ?? CURRENT_DIR;
    return this.#statx(at, path, flags, BASIC_STATS_AND_BIRTH, this.#bytes) === 0;
  }
}
