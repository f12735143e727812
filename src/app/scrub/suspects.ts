import { join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { StoreNotes } from '../../files/store-notes.ts';
import { cachePath, cacheStoreOf } from '../../hash-cache/with-hash-cache.ts';

/** A file that the last scrub found suspect or could not read. */
export interface Suspect {
  /** Its path below the root of its server or disk. */
  readonly path: string;
  readonly result: 'suspect' | 'unreadable';
  readonly reason: string;
  /** In bytes. */
  readonly size: number;
  /** In nanoseconds since the epoch. */
  readonly modTime?: string;
  /** The recorded hashes, and those of its content now. */
  readonly was?: Hashes;
  readonly is?: Hashes;
  /** When it was first found and last looked at, in milliseconds since the epoch. */
  readonly foundMs: number;
  readonly checkedMs: number;
  readonly runId: string;
}

/** The suspects of one remote, kept in the state directory. */
export class Suspects {
  readonly #remote: Remote;
  readonly #notes: StoreNotes<Suspect>;
  readonly #byPath = new Map<string, Suspect>();

  constructor(remote: Remote, env: NodeJS.ProcessEnv) {
    this.#remote = remote;
    const folder = stateDir(env);
    this.#notes = new StoreNotes(folder && join(folder, 'suspects'), cacheStoreOf(remote) ?? '');
    for (const note of this.#notes.all()) {
      const other = this.#byPath.get(note.path);
      if (other === undefined || other.checkedMs < note.checkedMs)
        this.#byPath.set(note.path, note);
    }
  }

  /** Those below a path of the remote, `''` for all of it. */
  below(dir: string): readonly Suspect[] {
    const root = cachePath(this.#remote, dir).replace(/\/$/, '');
    return [...this.#byPath.values()].filter(
      ({ path }) => root === '' || path === root || path.startsWith(`${root}/`),
    );
  }

  at(path: string): Suspect | undefined {
    return this.#byPath.get(cachePath(this.#remote, path));
  }

  /** Whether a listed file is suspect, and was not changed since it was found. */
  isSuspect(file: FileEntry): boolean {
    const note = this.at(file.path);
    if (note?.result !== 'suspect' || note.size !== file.size) return false;
    return file.modTime === undefined || note.modTime === String(file.modTime);
  }

  /** Adds a file, or what was found about it now. */
  add(file: FileEntry, found: Omit<Suspect, 'path' | 'size' | 'modTime' | 'foundMs'>): void {
    const path = cachePath(this.#remote, file.path);
    const { foundMs = found.checkedMs } = this.#byPath.get(path) ?? {};
    const time = file.modTime === undefined ? {} : { modTime: String(file.modTime) };
    const note = { ...found, path, size: file.size, ...time, foundMs };
    this.#notes.add(note);
    this.#erase(path, note);
    this.#byPath.set(path, note);
  }

  erase(path: string): void {
    this.#byPath.delete(path);
    this.#erase(path);
  }

  #erase(path: string, but?: Suspect): void {
    for (const note of this.#notes.at(path)) if (note !== but) this.#notes.erase(note);
  }
}

/** The refusal to replace a file by a suspect, for each file of a remote; `undefined` if it has no suspects. */
export function suspectRefusal(
  remote: Remote,
  env: NodeJS.ProcessEnv,
): ((file: FileEntry) => string | undefined) | undefined {
  const suspects = new Suspects(remote, env);
  if (suspects.below('').length === 0) return undefined;
  return (file) =>
    suspects.isSuspect(file)
      ? 'not copied over the other side: scrub found its content changed without a new time'
      : undefined;
}
