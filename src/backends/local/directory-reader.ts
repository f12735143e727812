import { constants } from 'node:fs';
import { type Libc, loadLibc } from '../../system/libc.ts';
import type { FileAttributes } from './local-entry.ts';
import { BASIC_STATS_AND_BIRTH, CLOSE_ON_EXEC, NO_FOLLOW, Statx, StatxFields } from './statx.ts';

/** How much of a directory is read, in bytes: some two hundred names. */
const ENTRIES = 8 * 1024;
/** The fewest bytes that an entry takes. */
const LEAST_ENTRY = 24;

/** Where an entry of the system has its length, and its name, in bytes (`struct linux_dirent64`). */
const LENGTH = 16;
const NAME = 19;

/** How much is kept of each `struct statx`, in bytes: the next one is written over fields that are not used. */
const KEPT = 144;
const WHOLE = 256;

const ENOENT = 2;
const DOT = 0x2e;

/**
 * Reads directories by Linux's `getdents64` and `statx`: names and attributes, with the directory opened once. Node's
 * `readdir` looks at a directory before, and makes an object for each name.
 */
export class DirectoryReader {
  readonly #open: ReturnType<Libc['func']>;
  readonly #close: ReturnType<Libc['func']>;
  readonly #getdents: ReturnType<Libc['func']>;
  readonly #statx: ReturnType<Libc['func']>;
  readonly #libc: Libc;
  readonly #entries = Buffer.allocUnsafeSlow(ENTRIES);
  readonly #lengths = new Uint16Array(this.#entries.buffer);
  /** For what does not fit, which is not used. */
  readonly #rest = Buffer.allocUnsafeSlow(ENTRIES);
  readonly #entriesAt: number;
  readonly #attributes = new ArrayBuffer(Math.ceil(ENTRIES / LEAST_ENTRY) * KEPT + WHOLE);
  readonly #attributesAt: number;
  readonly #fields: StatxFields;

  constructor(libc: Libc) {
    this.#libc = libc;
    this.#open = libc.func('open', 'int', ['str', 'int']);
    this.#close = libc.func('close', 'int', ['int']);
    this.#getdents = libc.func('getdents64', 'int64', ['int', 'void *', 'size_t']);
    // Places inside buffers are passed as numbers.
    this.#statx = libc.func('statx', 'int', ['int', 'uint64', 'int', 'uint', 'uint64']);
    this.#entriesAt = Number(libc.address(this.#entries));
    this.#attributesAt = Number(libc.address(new Uint8Array(this.#attributes)));
    this.#fields = new StatxFields(this.#attributes);
  }

  /**
   * The names in a directory; `undefined` if it has to be read in another way: it is large, a name is not UTF-8, or
   * something fails. Names that were deleted since are left out.
   */
  read(path: string): string[] | undefined {
    const fd = Number(this.#open(path, constants.O_RDONLY | constants.O_DIRECTORY | CLOSE_ON_EXEC));
    if (fd < 0) return undefined;
    try {
      const length = Number(this.#getdents(fd, this.#entries, ENTRIES));
      if (length < 0 || Number(this.#getdents(fd, this.#rest, ENTRIES)) !== 0) return undefined;
      return this.#namesIn(fd, length);
    } finally {
      this.#close(fd);
    }
  }

  /** The attributes of a name that was read, by its index, without following links; valid until the next call. */
  attributes(index: number): FileAttributes {
    return this.#fields.at(index * KEPT);
  }

  #namesIn(fd: number, length: number): string[] | undefined {
    const entries = this.#entries;
    const names: string[] = [];
    for (let at = 0; at < length; at += this.#lengths[(at + LENGTH) / 2] ?? length) {
      const start = at + NAME;
      const end = entries.indexOf(0, start);
      const dots = entries[start] === DOT ? end - start : 0;
      if (dots === 1 || (dots === 2 && entries[start + 1] === DOT)) continue;
      const into = this.#attributesAt + names.length * KEPT;
      const name = this.#entriesAt + start;
      if (this.#statx(fd, name, NO_FOLLOW, BASIC_STATS_AND_BIRTH, into) !== 0) {
        if (this.#libc.errno() === ENOENT) continue;
        return undefined;
      }
      const text = entries.toString('utf8', start, end);
      if (text.includes('\ufffd')) return undefined;
      names.push(text);
    }
    return names;
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
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Readers> {
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
}
