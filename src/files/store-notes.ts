import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeFolderSync } from './make-folder.ts';
import { readRegularFileSync } from './read-whole.ts';

/**
 * Notes about files of one remote, each in its own file: processes can add and delete in parallel, and a crash keeps them.
 * Without a usable directory they are kept in memory.
 */
export class StoreNotes<T extends { readonly path: string }> {
  readonly #folder: string | undefined;
  readonly #id: string;
  readonly #onTrouble: (file: string, thrown: unknown) => void;
  readonly #all: T[] = [];
  /** The notes of now. */
  readonly all: readonly T[] = this.#all;
  /** Their files; none if notes are only in memory. */
  readonly #files = new Map<T, string>();

  /**
   * @param folder created with the first note; `undefined`: notes are kept in memory
   * @param onTrouble called if a note cannot be read, or not be written; may throw in the first case
   */
  constructor(
    folder: string | undefined,
    storeId: string,
    onTrouble: (file: string, thrown: unknown) => void = () => undefined,
  ) {
    this.#folder = folder;
    this.#id = hash('sha256', storeId).slice(0, 32);
    this.#onTrouble = onTrouble;
    if (folder !== undefined) this.#read(folder);
  }

  at(path: string): readonly T[] {
    return this.#all.filter((note) => note.path === path);
  }

  /** Adds a note; it is on disk when this returns, if there is a directory. Returns `false` if it cannot be written. */
  add(note: T): boolean {
    const file = this.#write(note);
    this.#keep(note, file);
    return file !== undefined || this.#folder === undefined;
  }

  erase(note: T): void {
    const file = this.#files.get(note);
    if (file !== undefined) ignoreErrors(() => unlinkSync(file));
    this.#files.delete(note);
    const at = this.#all.indexOf(note);
    if (at >= 0) this.#all.splice(at, 1);
    const folder = this.#folder;
    // Deleted with the last note of all remotes: the next run then sees immediately that there are none.
    if (this.#all.length === 0 && folder !== undefined) ignoreErrors(() => rmdirSync(folder));
  }

  #keep(note: T, file: string | undefined): void {
    this.#all.push(note);
    if (file !== undefined) this.#files.set(note, file);
  }

  #read(folder: string): void {
    const names = this.#unlessGone(folder, () => readdirSync(folder)) ?? [];
    for (const name of names) {
      if (!name.startsWith(`${this.#id}-`)) continue;
      const file = join(folder, name);
      const note = this.#unlessGone(file, () => noteIn<T>(readRegularFileSync(file)));
      if (note !== undefined) this.#keep(note, file);
    }
  }

  /** Another process may have deleted the file before it is read. */
  #unlessGone<R>(file: string, read: () => R): R | undefined {
    try {
      return read();
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') this.#onTrouble(file, thrown);
      return undefined;
    }
  }

  #write(note: T): string | undefined {
    const folder = this.#folder;
    if (folder === undefined) return undefined;
    const random = randomBytes(6).toString('hex');
    const file = join(folder, `${this.#id}-${random}.json`);
    const temporary = join(folder, `new-${random}`);
    try {
      makeFolderSync(folder, 0o700);
      const descriptor = openSync(temporary, 'wx', 0o600);
      try {
        writeSync(descriptor, noteText(note));
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(temporary, file);
      syncFolder(folder);
      return file;
    } catch (thrown) {
      ignoreErrors(() => unlinkSync(temporary));
      this.#onTrouble(file, thrown);
      return undefined;
    }
  }
}

/** A note as JSON that begins with a sum of the rest: a changed byte may be another path, and still be JSON. */
function noteText(note: object): string {
  const rest = `${JSON.stringify(note).slice(1)}\n`;
  return `{"sum":"${sumOf(rest)}",${rest}`;
}

function sumOf(text: string): string {
  return hash('sha256', text).slice(0, 16);
}

/** Reads a note; one of an earlier version has no sum. */
function noteIn<T extends { readonly path: string }>(bytes: Buffer): T {
  const text = bytes.toString();
  const [head, sum] = /^\{"sum":"(\w+)",/.exec(text) ?? [];
  const rest = head === undefined ? text.slice(1) : text.slice(head.length);
  let note: T | undefined;
  ignoreErrors(() => {
    if (sum === undefined || sumOf(rest) === sum) note = JSON.parse(`{${rest}`);
  });
  if (typeof note?.path !== 'string') throw new Error('it is damaged');
  return note;
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
