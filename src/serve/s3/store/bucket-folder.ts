import {
  closeSync,
  constants,
  type Dirent,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  type Stats,
} from 'node:fs';
import { decodeUri, encodeUri } from '../../../backends/s3-protocol/uri-encoding.ts';
import { nameFromBytes, nameToBytes } from '../../../core/name-bytes.ts';
import { parentPath } from '../../../core/remote-path.ts';
import { bytesOf, isAt, type OpenFolders } from './open-folders.ts';

/** The directory inside a bucket's directory for everything except objects. */
export const HIDDEN = '.syncer-s3';
/** Below it: objects whose keys cannot be file names. */
export const ESCAPED = `${HIDDEN}/keys`;
/** Partial files. Their directory is opened once, and followed wherever it is moved. */
const TEMPORARY = `${HIDDEN}/tmp`;

/** What changed less than this long ago can change again without its time changing, in milliseconds. */
export const CLOCK_TICK_MS = 50;

/** The directory of a bucket and its visible entries. No path leads through a symbolic link, see `OpenFolders`. */
export class BucketFolder {
  /** Without symbolic links. */
  readonly path: string;
  readonly #made = new Set<string>();
  readonly #folders: OpenFolders;
  #temporaries = 0;

  constructor(path: string, folders: OpenFolders) {
    this.path = path;
    this.#folders = folders;
  }

  /** The path of a file below for the file system, valid in this turn of the event loop. Throws `ENOENT` or `ENOTDIR`. */
  at(file: string): string | Buffer {
    if (file === '') return this.#inside('');
    return bytesOf(`${this.#inside(parentPath(file))}/${file.slice(file.lastIndexOf('/') + 1)}`);
  }

  /** Opens a file below; closed by the caller. Symbolic links are refused with `ELOOP`. */
  open(file: string, flags: number): number {
    return openSync(this.at(file), flags | constants.O_NOFOLLOW, 0o666);
  }

  /** Opens a file below for reading; `undefined` if it is gone or is no file. */
  openFile(file: string): number | undefined {
    const path = this.#path(file);
    try {
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
      const fd = openSync(bytesOf(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      if (isAt(path, fd)) return fd;
      closeSync(fd);
      return undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** Creates a missing hidden directory; returns its path in the bucket. */
  hidden(folder: '' | 'keys' | 'tmp' | 'uploads' | 'versions', name: string): string {
    const parent = folder === '' ? HIDDEN : `${HIDDEN}/${folder}`;
    if (!this.#made.has(parent)) {
      this.makeFolder(parent, 0o700);
      this.#made.add(parent);
    }
    return `${parent}/${name}`;
  }

  /** The hidden directory was deleted externally: its directories are created again on demand. */
  forgetHidden(): void {
    this.#made.clear();
    this.#folders.forget(this.#path(TEMPORARY));
  }

  /** A unique name for a partial file: their directory is emptied when a server starts. */
  temporary(): string {
    return this.hidden('tmp', String(this.#temporaries++));
  }

  /** Creates a partial file or directory by `make`, also if their directory was deleted externally. */
  makeTemporary<T>(make: (file: string) => T): T {
    try {
      return make(this.temporary());
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.forgetHidden();
      return make(this.temporary());
    }
  }

  /** The regular file at a path; `undefined` for anything else, including symbolic links. */
  fileAt(file: string): Stats | undefined {
    const stats = this.look(file);
    return stats?.isFile() ? stats : undefined;
  }

  /** The entry at a path; `undefined` also behind a file or a link. It is not opened: for a look that is too slow. */
  look(path: string): Stats | undefined {
    try {
      this.#inside(parentPath(path));
      return lstatSync(bytesOf(this.#path(path)), { throwIfNoEntry: false });
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /** Whether an entry that was found has exactly this path: a disk that ignores case finds it by others, too. */
  isNamed(path: string): boolean {
    for (let at = path; at !== ''; at = parentPath(at)) {
      const [dir, name] = [parentPath(at), at.slice(at.lastIndexOf('/') + 1)];
      const upper = name.toUpperCase();
      const other = upper === name ? name.toLowerCase() : upper;
      if (other === name) continue;
      if (this.look(dir === '' ? other : `${dir}/${other}`) === undefined) continue;
      if (!this.#entries(dir).some((entry) => entry.name === name)) return false;
    }
    return true;
  }

  /** Modification time of a directory in milliseconds; `undefined` if there is none. Only decides whether to read it. */
  folderTime(dir: string): number | undefined {
    const stats = lstatSync(bytesOf(this.#path(dir)), { throwIfNoEntry: false });
    return stats?.isDirectory() ? stats.mtimeMs : undefined;
  }

  /** Names of the files and directories in a directory, without links and special files; empty if it is gone. */
  read(dir: string): { files: string[]; dirs: string[] } {
    const files: string[] = [];
    const dirs: string[] = [];
    for (const entry of this.#entries(dir)) {
      if (entry.isFile()) files.push(entry.name);
      else if (entry.isDirectory() && !(dir === '' && entry.name === HIDDEN)) dirs.push(entry.name);
    }
    return { files, dirs };
  }

  /** Creates a missing directory with its parents. */
  makeFolder(dir: string, mode = 0o777): void {
    this.#folders.checkAgain();
    try {
      mkdirSync(this.at(dir), { mode });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return;
      if (code !== 'ENOENT' || dir === '') throw error;
      this.makeFolder(parentPath(dir), mode);
      mkdirSync(this.at(dir), { mode });
    }
  }

  /** Deletes an empty directory. */
  removeFolder(dir: string): void {
    if (dir === '') rmdirSync(this.path);
    else rmdirSync(this.at(dir));
    this.#folders.forget(this.#path(dir));
  }

  /** Deletes a file or a hidden directory with its content. */
  remove(file: string): void {
    try {
      rmSync(this.at(file), { recursive: true, force: true });
      this.#folders.checkAgain();
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  /** Deletes partial files of interrupted writes. */
  clearTemporary(): void {
    this.remove(TEMPORARY);
    this.forgetHidden();
  }

  #entries(dir: string): { name: string; isFile(): boolean; isDirectory(): boolean }[] {
    try {
      const path = this.#inside(dir);
      const entries: Dirent[] = readdirSync(path, { withFileTypes: true });
      if (!entries.some((entry) => entry.name.includes('\ufffd'))) return entries;
      return readdirSync(path, { withFileTypes: true, encoding: 'buffer' }).map((entry) => ({
        name: nameFromBytes(entry.name),
        isFile: () => entry.isFile(),
        isDirectory: () => entry.isDirectory(),
      }));
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  #inside(dir: string): string {
    return this.#folders.inside(this.#path(dir), dir === TEMPORARY);
  }

  #path(file: string): string {
    return file === '' ? this.path : `${this.path}/${file}`;
  }
}

/** Nothing can be at a path: it ends, or leads through a file or a symbolic link. */
function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO';
}

/** Longest name of a file on Linux, in bytes. */
const MAX_NAME = 255;
/** Longest piece of an escaped key, in characters. */
const PIECE = 200;

/**
 * The natural file of a key: the key itself as a path below the bucket's directory. `undefined` for keys that are no
 * such path: empty segments (`//`, a slash at either end), `.` and `..`, segments over 255 bytes, NUL, and everything
 * below `.syncer-s3`.
 */
export function plainFile(key: string): string | undefined {
  if (key.includes('\0')) return undefined;
  const segments = key.split('/');
  if (segments[0] === HIDDEN) return undefined;
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') return undefined;
    if (segment.length * 3 > MAX_NAME && nameToBytes(segment).length > MAX_NAME) return undefined;
  }
  return key;
}

/**
 * The file that any key can have, also a plain one whose path is taken: `.syncer-s3/keys/` and the key with every byte
 * but `A-Z a-z 0-9 - _ ~` as `%XX`, in pieces of 200 characters. Each but the last is a directory and ends in `+`, which
 * the encoding never produces: no key's file is another key's directory, and no two keys share a file.
 */
export function escapedFile(key: string): string {
  const encoded = encodeUri(key).replaceAll('.', '%2E');
  const pieces: string[] = [];
  for (let at = 0; at < encoded.length; at += PIECE) pieces.push(encoded.slice(at, at + PIECE));
  return `${ESCAPED}/${pieces.join('+/')}`;
}

/** Undoes `escapedFile`, without its leading `.syncer-s3/keys/`; `undefined` for other files. */
export function keyOfEscapedFile(path: string): string | undefined {
  const encoded = path.replaceAll('+/', '');
  if (!/^(?:[A-Za-z0-9\-_~]|%[0-9A-F]{2})+$/.test(encoded)) return undefined;
  const key = decodeUri(encoded);
  return key !== undefined && escapedFile(key) === `${ESCAPED}/${path}` ? key : undefined;
}
