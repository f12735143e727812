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
import { nameFromBytes } from '../../../core/name-bytes.ts';
import { parentPath } from '../../../core/remote-path.ts';
import { HIDDEN } from './key-to-file.ts';
import { bytesOf, isAt, type OpenFolders } from './open-folders.ts';

/** Half-written files; what is written there goes elsewhere, wherever the folder itself went. */
const TEMPORARY = `${HIDDEN}/tmp`;

/**
 * The folder of a bucket: paths in it, and what can be seen there. No path leads through a symbolic link,
 * also where a folder becomes one while the server runs, see `OpenFolders`.
 */
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

  /**
   * A file or folder below, as the file system wants it; names need not be UTF-8. Good until this turn of
   * the event loop ends. Throws `ENOENT` or `ENOTDIR` where its folder is none any more.
   */
  at(file: string): string | Buffer {
    if (file === '') return this.#inside('');
    return bytesOf(`${this.#inside(parentPath(file))}/${file.slice(file.lastIndexOf('/') + 1)}`);
  }

  /** Opens a file below; to be closed by the caller. Symbolic links are refused with `ELOOP`. */
  open(file: string, flags: number): number {
    return openSync(this.at(file), flags | constants.O_NOFOLLOW, 0o666);
  }

  /** Opens a file below for reading; `undefined` where it is gone or is no file. */
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

  /** Makes the folder of something hidden where it is missing; gives the path of that in the bucket. */
  hidden(folder: '' | 'keys' | 'tmp' | 'uploads' | 'versions', name: string): string {
    const parent = folder === '' ? HIDDEN : `${HIDDEN}/${folder}`;
    if (!this.#made.has(parent)) {
      this.makeFolder(parent, 0o700);
      this.#made.add(parent);
    }
    return `${parent}/${name}`;
  }

  /** The hidden folder was removed from outside: what is needed of it is made again. */
  forgetHidden(): void {
    this.#made.clear();
    this.#folders.forget(this.#path(TEMPORARY));
  }

  /** A half-written file, whose name nothing else has: the folder is emptied when a server starts. */
  temporary(): string {
    return this.hidden('tmp', String(this.#temporaries++));
  }

  /** The regular file at a path; `undefined` for nothing and for anything else, symbolic links too. */
  fileAt(file: string): Stats | undefined {
    const stats = this.look(file);
    return stats?.isFile() ? stats : undefined;
  }

  /**
   * What stands at a path; `undefined` for nothing, also where the path leads through a file or a link. What
   * is done with it later goes by the open folder; for the look alone that is not worth its time.
   */
  look(path: string): Stats | undefined {
    try {
      this.#inside(parentPath(path));
      return lstatSync(bytesOf(this.#path(path)), { throwIfNoEntry: false });
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  /**
   * Modification time of a folder in milliseconds; `undefined` where there is none. Only says whether to read
   * it, which is why nothing is opened for it.
   */
  folderTime(dir: string): number | undefined {
    const stats = lstatSync(bytesOf(this.#path(dir)), { throwIfNoEntry: false });
    return stats?.isDirectory() ? stats.mtimeMs : undefined;
  }

  /** Names of the files and folders in a folder, without links and special files; empty where it is gone. */
  read(dir: string): { files: string[]; dirs: string[] } {
    const files: string[] = [];
    const dirs: string[] = [];
    for (const entry of this.#entries(dir)) {
      if (entry.isFile()) files.push(entry.name);
      else if (entry.isDirectory() && !(dir === '' && entry.name === HIDDEN)) dirs.push(entry.name);
    }
    return { files, dirs };
  }

  /** Makes a folder, and those above it, where they are missing. */
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

  /** Removes an empty folder. */
  removeFolder(dir: string): void {
    if (dir === '') rmdirSync(this.path);
    else rmdirSync(this.at(dir));
    this.#folders.forget(this.#path(dir));
  }

  /** Removes a file or a hidden folder with all that is in it. */
  remove(file: string): void {
    try {
      rmSync(this.at(file), { recursive: true, force: true });
      this.#folders.checkAgain();
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  /** Throws away what broken writes left. */
  clearTemporary(): void {
    this.remove(TEMPORARY);
    this.remove(`${HIDDEN}/records.log.new`);
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
