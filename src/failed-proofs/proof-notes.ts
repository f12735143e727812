import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Hashes } from '../core/hash-names.ts';
import { makeFolderSync } from '../files/make-folder.ts';

/** A remote file whose content is wrong and that was not deleted or restored when this was noted. */
export interface ProofNote {
  /** Its path below the root of the remote. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly etag?: string;
  readonly version?: string;
  /** The server's identifier of this file. */
  readonly id?: string;
  readonly hashes?: Hashes;
  /** The modification time sent with it, in nanoseconds since the epoch. */
  readonly modTime?: string;
  /** The earliest time it may have been written, by the server's clock, in milliseconds since the epoch. */
  readonly sinceMs?: number;
  /** It must not be deleted: it is the last copy of the file. */
  readonly isOnly?: true;
}

/** A note and the path of its file; no path if notes are only in memory. */
interface KeptNote {
  readonly note: ProofNote;
  readonly file: string | undefined;
}

/**
 * The notes of one remote, each in its own file: processes can add and delete in parallel, and a crash keeps them.
 * Without a usable directory they are kept in memory.
 */
export class ProofNotes {
  readonly #folder: string | undefined;
  readonly #id: string;
  #kept: KeptNote[] = [];

  /** @param folder created with the first note; `undefined`: notes are kept in memory */
  constructor(folder: string | undefined, storeId: string) {
    this.#folder = folder;
    this.#id = hash('sha256', storeId).slice(0, 32);
    if (folder !== undefined) this.#kept = readNotes(folder, this.#id);
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  all(): readonly ProofNote[] {
    return this.#kept.map(({ note }) => note);
  }

  at(path: string): readonly ProofNote[] {
    return this.all().filter((note) => note.path === path);
  }

  /** Adds a note; it is on disk when this returns, if there is a directory. */
  add(note: ProofNote): void {
    this.#kept.push({ note, file: this.#write(note) });
  }

  erase(note: ProofNote): void {
    for (const { file } of this.#kept.filter((kept) => kept.note === note)) {
      if (file !== undefined) ignoreErrors(() => unlinkSync(file));
    }
    this.#kept = this.#kept.filter((kept) => kept.note !== note);
    const folder = this.#folder;
    // Deleted with the last note of all remotes: the next run then sees immediately that there are none.
    if (this.isEmpty && folder !== undefined) ignoreErrors(() => rmdirSync(folder));
  }

  #write(note: ProofNote): string | undefined {
    const folder = this.#folder;
    if (folder === undefined) return undefined;
    const random = randomBytes(6).toString('hex');
    const file = join(folder, `${this.#id}-${random}.json`);
    try {
      makeFolderSync(folder, 0o700);
      const temporary = join(folder, `new-${random}`);
      const descriptor = openSync(temporary, 'wx', 0o600);
      try {
        writeSync(descriptor, `${JSON.stringify(note)}\n`);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(temporary, file);
      syncFolder(folder);
      return file;
    } catch {
      return undefined;
    }
  }
}

function readNotes(folder: string, id: string): KeptNote[] {
  let names: string[] = [];
  ignoreErrors(() => {
    names = readdirSync(folder).filter((name) => name.startsWith(`${id}-`));
  });
  return names.flatMap((name) => {
    const file = join(folder, name);
    try {
      const note = JSON.parse(readFileSync(file, 'utf8')) as ProofNote;
      return typeof note.path === 'string' ? [{ note, file }] : [];
    } catch {
      return [];
    }
  });
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function ignoreErrors(action: () => void): void {
  try {
    action();
  } catch {
    // Another process may have deleted it, or nothing can be done.
  }
}
