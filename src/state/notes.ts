import { crc32 } from 'node:zlib';
import { DamagedNote } from '../core/errors.ts';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import type { Database, TableRow } from './database.ts';
import type { Stores } from './stores.ts';

/** Whose notes, and where they are kept. */
export interface NotesOf {
  readonly kind: 'failed-proof' | 'suspect' | 'part-copies';
  /** What identifies the server or disk. */
  readonly store: string;
  /** `undefined`, or without a place for the state: in memory. */
  readonly stores: Pick<Stores, 'state' | 'look' | 'stateFolder'> | undefined;
  /** Called if a note cannot be added or erased: it is added or erased in memory only. */
  readonly onTrouble?: (thrown: unknown) => void;
}

/** Notes about files of one server or disk, read when they are opened. Several processes may add and erase. */
export class Notes<T extends { readonly path: string }> {
  readonly #of: NotesOf;
  readonly #all: T[] = [];
  /** The notes of now. */
  readonly all: readonly T[] = this.#all;
  /** Their rows; `undefined` for a note that is only in memory. */
  readonly #rows = new Map<T, Promise<number | undefined>>();

  /**
   * Rejects as `Stores.state` does, and with `config` for a note that is damaged (`DamagedNote`).
   */
  static async open<T extends { readonly path: string }>(of: NotesOf): Promise<Notes<T>> {
    const notes = new Notes<T>(of);
    const sql = 'SELECT id, path, note, sum FROM notes WHERE kind = ? AND store = ? ORDER BY id';
    const whole = (state: Database) => {
      const rows = state.all(sql, of.kind, of.store);
      if (rows.every(isWhole)) return rows;
      const { path } = state;
      const advice = 'run "syncer doctor --fix"';
      throw new DamagedNote('config', `a note about a file is damaged: ${path}`, { path, advice });
    };
    const found = of.stores?.look([], (state) => state.read(() => whole(state)));
    for (const row of (await found) ?? []) {
      const path = nameFromBytes(row['path'] as Uint8Array);
      const note = { path, ...JSON.parse(String(row['note'])) } as T;
      notes.#all.push(note);
      notes.#rows.set(note, Promise.resolve(Number(row['id'])));
    }
    return notes;
  }

  /** Without what was noted earlier. */
  constructor(of: NotesOf) {
    this.#of = of;
  }

  at(path: string): readonly T[] {
    return this.#all.filter((note) => note.path === path);
  }

  /**
   * Adds a note: a power cut keeps it when this resolves. Resolves to `false` if it is only in memory, although there
   * is a place to keep it. Never rejects.
   */
  async add(note: T): Promise<boolean> {
    const { kind, store } = this.#of;
    this.#all.push(note);
    const { path, ...rest } = note;
    const [bytes, text] = [nameToBytes(path), JSON.stringify(rest)];
    const sql =
      'INSERT INTO notes (kind, store, path, note, sum) VALUES (?, ?, ?, ?, ?) RETURNING id';
    const row = this.#write((state) =>
      Number(state.get(sql, kind, store, bytes, text, sumOf(bytes, text))?.['id']),
    );
    this.#rows.set(note, row);
    return (await row) !== undefined || !this.#isKept;
  }

  /** Resolves when a note that is being added is kept, or cannot be. */
  async added(note: T): Promise<void> {
    await this.#rows.get(note);
  }

  /** Never rejects. */
  async erase(note: T): Promise<void> {
    const at = this.#all.indexOf(note);
    if (at >= 0) this.#all.splice(at, 1);
    const row = this.#rows.get(note);
    this.#rows.delete(note);
    const id = await row;
    if (id === undefined) return;
    await this.#write((state) => state.run('DELETE FROM notes WHERE id = ?', id));
  }

  get #isKept(): boolean {
    return this.#of.stores?.stateFolder !== undefined;
  }

  async #write<R>(work: (state: Database) => R): Promise<R | undefined> {
    const { stores } = this.#of;
    if (stores === undefined || !this.#isKept) return undefined;
    try {
      const state = await stores.state();
      return await state.write(() => work(state), undefined, 'lasting');
    } catch (thrown) {
      this.#of.onTrouble?.(thrown);
      return undefined;
    }
  }
}

/** Whether a note in the state is damaged. */
export function hasDamagedNote(state: Database): boolean {
  return state.all('SELECT path, note, sum FROM notes').some((row) => !isWhole(row));
}

/** A changed byte may be another path, and still be JSON. */
function isWhole({ path, note, sum }: TableRow): boolean {
  return sumOf(path as Uint8Array, String(note)) === sum;
}

const sumOf = (path: Uint8Array, note: string): number => crc32(note, crc32(path));
