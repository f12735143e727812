import type { Libc } from '../../native/libc.ts';
import { OPEN_FLAGS } from './read-file.ts';
import { BASIC_STATS_AND_BIRTH, CLOSE_ON_EXEC, StatxFields } from './statx.ts';

const AT_EMPTY_PATH = 0x1000;

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
