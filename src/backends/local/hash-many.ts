import type { HashName } from '../../core/hash-names.ts';
import type { FileEntry } from '../../core/remote.ts';
import { md5Lanes, type ReadInto } from '../../hashes/md5-lanes/md5-lanes.ts';
import { MD5_LAYOUT, md5Module } from '../../hashes/md5-lanes/md5-module.ts';
import { type Libc, loadLibc } from '../../system/libc.ts';
import { BASIC_STATS_AND_BIRTH, CLOSE_ON_EXEC, StatxFields } from './directory-reader.ts';
import type { LocalDisk } from './local-disk.ts';
import { isSmall, OPEN_FLAGS, READ_CALLS, verifyRead } from './read-file.ts';

/** Fewer files are hashed as fast one by one. */
const FEWEST = 16;
/** A longer file does not fit into a lane's room, in bytes. */
const LONGEST = MD5_LAYOUT.roomLength - MD5_LAYOUT.messageEnd;

let loaded: ReturnType<typeof load> | undefined;

/** See `Capabilities.hashMany`: MD5s of small files, eight at the same time; none on a slow disk, with threads. */
export async function hashMany(
  disk: LocalDisk,
  files: readonly FileEntry[],
  name: HashName,
): Promise<readonly (string | undefined)[]> {
  const { pace, settings } = disk;
  if (name !== 'md5' || !settings.hashes.includes(name)) return [];
  const suited = files.flatMap((file) => {
    // The lanes read nothing of an empty file, so that nothing would show that it still is one.
    if (!isSmall(disk, file) || file.size === 0 || file.size > LONGEST) return [];
    if (disk.isLink(file.path) || !disk.mayHold(file.path)) return [];
    const native = disk.pathOf(file.path);
    // As a range of itself, for the lanes.
    return native.isWellFormed() ? [{ file, native, offset: 0, length: file.size }] : [];
  });
  if (suited.length < FEWEST || pace.isSlow) return [];
  loaded ??= load();
  const tools = await loaded;
  if (tools === undefined) return [];
  const { reader, lanes } = tools;
  const digests = new Map<FileEntry, string>();
  // The lanes of a group advance together.
  suited.sort((a, b) => a.file.size - b.file.size);
  for (let at = 0; at < suited.length && !pace.isSlow; at += lanes.lanes) {
    const group = suited.slice(at, at + lanes.lanes);
    const read: ReadInto = (room, _position, index) => {
      const { file, native } = group[index] as (typeof group)[number];
      const stats = reader.read(native, room);
      if (stats === undefined) return 0;
      try {
        verifyRead(disk, file, stats);
        return room.length;
      } catch {
        return 0;
      }
    };
    const found = pace.here(group.length * READ_CALLS, () => lanes.hash(group, read));
    for (const [index, digest] of found.entries())
      if (digest !== undefined) digests.set((group[index] as (typeof group)[number]).file, digest);
  }
  return files.map((file) => digests.get(file));
}

/** Without the C library or WebAssembly's vectors nothing is gained. */
async function load() {
  if (process.platform !== 'linux') return undefined;
  try {
    const reader = new SmallFileReader(await loadLibc());
    return { reader, lanes: md5Lanes(new WebAssembly.Module(md5Module()), MD5_LAYOUT) };
  } catch {
    return undefined;
  }
}

/** Reads small files with Linux's C library, in two thirds of the time of Node's `fs`. */
export class SmallFileReader {
  readonly #open: ReturnType<Libc['func']>;
  readonly #pread: ReturnType<Libc['func']>;
  readonly #statx: ReturnType<Libc['func']>;
  readonly #close: ReturnType<Libc['func']>;
  readonly #bytes = new ArrayBuffer(256);
  readonly #stats = new StatxFields(this.#bytes);
  readonly #next = new Uint8Array(1);

  constructor(libc: Pick<Libc, 'func'>) {
    this.#open = libc.func('open', 'int', ['str', 'int']);
    this.#pread = libc.func('pread', 'int64', ['int', 'void *', 'size_t', 'int64']);
    this.#statx = libc.func('statx', 'int', ['int', 'str', 'int', 'uint', 'void *']);
    this.#close = libc.func('close', 'int', ['int']);
  }

  /**
   * Fills `room` with the bytes of a file. Returns its attributes after that, valid until the next call; `undefined` if
   * it is no file, is shorter or longer, or could not be read at once.
   *
   * @param native its path, in valid Unicode
   */
  read(native: string, room: Uint8Array): StatxFields | undefined {
    const AT_EMPTY_PATH = 0x1000;
    const fd = this.#open(native, OPEN_FLAGS | CLOSE_ON_EXEC);
    if (fd === -1) return undefined;
    const isRead =
      Number(this.#pread(fd, room, room.length, 0)) === room.length &&
      Number(this.#pread(fd, this.#next, 1, room.length)) === 0 &&
      this.#statx(fd, '', AT_EMPTY_PATH, BASIC_STATS_AND_BIRTH, this.#bytes) === 0;
    this.#close(fd);
    return isRead && this.#stats.isFile() ? this.#stats : undefined;
  }
}
