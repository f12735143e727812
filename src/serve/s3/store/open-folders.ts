import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import { nameToBytes } from '../../../core/name-bytes.ts';

/** Opens a directory only to address its entries; Node has no constant for it. */
const O_PATH = 0o10000000;
/** Directories that are held open. */
const MAX_OPEN = 256;
/** How long a check of a directory is valid, in milliseconds; within one request, too. */
export const FRESH_MS = 5;
const NONE = { path: '', inside: '' };

/** Open directories, whose entries are addressed without resolving the paths again: no symbolic link is followed. */
export class OpenFolders {
  /** By path, the most recently used at the end. */
  readonly #open = new Map<string, number>();
  /** Those found at their paths since `#since`. */
  readonly #checked = new Set<string>();
  #since = 0;
  /** The most recently used of these. */
  #last = NONE;

  /**
   * Another path of a directory, whatever happens to its name, valid in this turn of the event loop. Throws `ENOENT` or
   * `ENOTDIR` for another path, or one through a link. `isSettled`: the directory need not be at its path any more.
   */
  inside(path: string, isSettled = false): string {
    if (performance.now() - this.#since > FRESH_MS) this.checkAgain();
    if (path === this.#last.path) return this.#last.inside;
    let fd = this.#open.get(path);
    if (fd !== undefined) this.#open.delete(path);
    const isKnown = isSettled || this.#checked.has(path);
    if (fd !== undefined && !isKnown && !isPathOf(path, fd)) {
      closeSync(fd);
      fd = undefined;
    }
    fd ??= openFolder(path);
    this.#open.set(path, fd);
    if (!isSettled) this.#checked.add(path);
    const [oldest] = this.#open;
    if (oldest !== undefined && this.#open.size > MAX_OPEN) this.forget(oldest[0]);
    this.#last = { path, inside: `/proc/self/fd/${fd}` };
    return this.#last.inside;
  }

  /** A directory was deleted. */
  forget(path: string): void {
    const fd = this.#open.get(path);
    if (fd !== undefined) closeSync(fd);
    this.#open.delete(path);
    this.#checked.delete(path);
    this.#last = NONE;
  }

  /** Checks every directory again on its next use: call it at the start of each request. */
  checkAgain(): void {
    this.#since = performance.now();
    this.#checked.clear();
    this.#last = NONE;
  }

  close(): void {
    for (const path of [...this.#open.keys()]) this.forget(path);
  }
}

function openFolder(path: string): number {
  const fd = openSync(bytesOf(path), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  if (isAt(path, fd)) return fd;
  closeSync(fd);
  throw Object.assign(new Error('a directory became a symbolic link'), { code: 'ENOTDIR' });
}

/** Whether an open file or directory is at a path without symbolic links. */
export const isAt = (path: string, fd: number): boolean => isPathOf(path, fd) || isSame(path, fd);

/** Whether the kernel reports this path for an open file. */
function isPathOf(path: string, fd: number): boolean {
  try {
    const link = `/proc/self/fd/${fd}`;
    if (path.isWellFormed()) return readlinkSync(link) === path;
    return readlinkSync(link, 'buffer').equals(nameToBytes(path));
  } catch {
    return false;
  }
}

/** For file systems that accept a name in several forms: all above are directories, and the end is the same. */
function isSame(path: string, fd: number): boolean {
  const look = (to: string) => lstatSync(bytesOf(to), { throwIfNoEntry: false });
  for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) {
    if (!look(path.slice(0, at))?.isDirectory()) return false;
  }
  const { dev, ino } = fstatSync(fd);
  const end = look(path);
  return end?.dev === dev && end.ino === ino;
}

/** A path for the file system; names need not be UTF-8. */
export function bytesOf(path: string): string | Buffer {
  return path.isWellFormed() ? path : nameToBytes(path);
}
