import {
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { nameFromBytes, nameToBytes } from '../../../core/name-bytes.ts';
import { HIDDEN } from './key-to-file.ts';

/** The folder of a bucket: paths in it, and what can be seen there. */
export class BucketFolder {
  readonly path: string;
  readonly #made = new Set<string>();
  #temporaries = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** A file or folder below, as the file system wants it; names need not be UTF-8. */
  at(file: string): string | Buffer {
    const path = file === '' ? this.path : `${this.path}/${file}`;
    return path.isWellFormed() ? path : nameToBytes(path);
  }

  /** A path below the hidden folder, whose parents are made where they are missing. */
  hidden(folder: '' | 'keys' | 'tmp' | 'uploads' | 'versions', name: string): string {
    const parent = folder === '' ? HIDDEN : `${HIDDEN}/${folder}`;
    if (!this.#made.has(parent)) {
      mkdirSync(`${this.path}/${parent}`, { recursive: true, mode: 0o700 });
      this.#made.add(parent);
    }
    return `${this.path}/${parent}/${name}`;
  }

  /** A path for a half-written file, which nothing else has: the folder is emptied when a server starts. */
  temporary(): string {
    return this.hidden('tmp', String(this.#temporaries++));
  }

  /** The regular file at a path; `undefined` for nothing and for anything else, symbolic links too. */
  fileAt(file: string): Stats | undefined {
    const stats = this.look(file);
    return stats?.isFile() ? stats : undefined;
  }

  /** What stands at a path; `undefined` for nothing, also where the path leads through a file. */
  look(path: string): Stats | undefined {
    try {
      return lstatSync(this.at(path), { throwIfNoEntry: false });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  /** Modification time of a folder in milliseconds; `undefined` where there is none. */
  folderTime(dir: string): number | undefined {
    const stats = statSync(this.at(dir), { throwIfNoEntry: false });
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

  #entries(dir: string): { name: string; isFile(): boolean; isDirectory(): boolean }[] {
    try {
      const entries: Dirent[] = readdirSync(this.at(dir), { withFileTypes: true });
      if (!entries.some((entry) => entry.name.includes('\ufffd'))) return entries;
      return readdirSync(this.at(dir), { withFileTypes: true, encoding: 'buffer' }).map(
        (entry) => ({
          name: nameFromBytes(entry.name),
          isFile: () => entry.isFile(),
          isDirectory: () => entry.isDirectory(),
        }),
      );
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return [];
      throw error;
    }
  }

  /** Throws away what broken writes left. */
  clearTemporary(): void {
    rmSync(`${this.path}/${HIDDEN}/tmp`, { recursive: true, force: true });
    rmSync(`${this.path}/${HIDDEN}/records.log.new`, { force: true });
    this.#made.clear();
  }
}
