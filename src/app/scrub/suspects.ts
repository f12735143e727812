import { dirname, join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { pathBelow } from '../../core/remote-path.ts';
import type { Pass } from '../../engine/pass.ts';
import { StoreNotes } from '../../files/store-notes.ts';
import { cachePath, cacheStoreOf, currentVersion } from '../../hash-cache/hash-observer.ts';
import { realPath } from '../../kit/real-path.ts';

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
  /** See `ContentVersion`; absent in notes of older versions. */
  readonly tag?: string;
  /** Of a suspect: the recorded hashes, and those of its content when it was read last. */
  readonly was?: Hashes;
  readonly is?: Hashes;
  /** The file system that it is on (`deviceOf`); absent elsewhere, and in notes of older versions. */
  readonly device?: string;
  /** When the recorded content was read; absent in notes of older versions. */
  readonly recordedMs?: number;
  /** A listing of a server has shown it: its content was not read. */
  readonly isListed?: true;
  /** When it was first found and last looked at, in milliseconds since the epoch. */
  readonly foundMs: number;
  readonly checkedMs: number;
  readonly runId: string;
}

/** The file system that a file is on; `undefined` if that cannot be seen. */
async function deviceNow(path: string): Promise<string | undefined> {
  // Runs with `--checksum` only look whether there are suspects.
  const { deviceOf } = await import('../guards/device-of.ts');
  return deviceOf(dirname(path)).catch(() => undefined);
}

function listError(what: string, advice: string): SyncerError {
  return new SyncerError('config', `the list of suspect files ${what}`, { advice });
}

/** The suspects of one remote, kept in the state directory. */
export class Suspects {
  readonly #remote: Remote;
  readonly #notes: StoreNotes<Suspect>;
  readonly #byPath = new Map<string, Suspect>();
  readonly #isDryRun: boolean;

  /**
   * Throws `config` if the list is there and cannot be read: then any file may be on it.
   *
   * @param onTrouble called if a suspect cannot be added to the list, with the reason
   * @param isDryRun what changes is not kept
   */
  constructor(
    remote: Remote,
    env: NodeJS.ProcessEnv,
    onTrouble: (error: SyncerError) => void,
    isDryRun = false,
  ) {
    this.#remote = remote;
    this.#isDryRun = isDryRun;
    const state = stateDir(env);
    const folder = state && join(state, 'suspects');
    let isRead = false;
    this.#notes = new StoreNotes(folder, cacheStoreOf(remote) ?? '', (file, thrown) => {
      const why = toSyncerError(thrown).message;
      if (isRead) return onTrouble(listError(`cannot be kept: ${why}`, 'scrub again'));
      const advice = 'delete it, then scrub again to find what it had';
      throw listError(`cannot be read: ${file}: ${why}`, advice);
    });
    isRead = true;
    for (const note of this.#notes.all) {
      const other = this.#byPath.get(note.path);
      if (other === undefined || other.checkedMs < note.checkedMs)
        this.#byPath.set(note.path, note);
    }
  }

  get isEmpty(): boolean {
    return this.#byPath.size === 0;
  }

  /** Those below a path of the remote, `''` for all of it. */
  below(dir: string): readonly Suspect[] {
    const root = this.#key(dir);
    return [...this.#byPath.values()].filter(({ path }) => pathBelow(root, path) !== undefined);
  }

  /** The path of a note in the remote, if it is there. */
  pathOf({ path }: Suspect): string | undefined {
    return pathBelow(cachePath(this.#remote, ''), path);
  }

  at(path: string): Suspect | undefined {
    return this.isEmpty ? undefined : this.#byPath.get(this.#key(path));
  }

  /** The note of a listed file that was not changed since. */
  unchangedAt(file: FileEntry): Suspect | undefined {
    const note = this.at(file.path);
    if (note === undefined || note.size !== file.size) return undefined;
    if (file.modTime !== undefined && note.modTime !== String(file.modTime)) return undefined;
    const isReplaced =
      note.tag !== undefined && note.tag !== currentVersion(this.#remote, file)?.tag;
    return isReplaced ? undefined : note;
  }

  /** The same, of one that was found suspect. It may be unreadable by now. */
  suspectAt(file: FileEntry): Suspect | undefined {
    const note = this.unchangedAt(file);
    return note?.was === undefined ? undefined : note;
  }

  /** Adds a file, or what was found about it now. */
  async add(
    file: FileEntry,
    found: Omit<Suspect, 'path' | 'device' | 'size' | 'modTime' | 'foundMs'>,
  ): Promise<void> {
    const path = this.#key(file.path);
    const { foundMs = found.checkedMs } = this.unchangedAt(file) ?? {};
    const time = file.modTime === undefined ? {} : { modTime: String(file.modTime) };
    const device = this.#remote.traits.onDisk ? await deviceNow(path) : undefined;
    const where = { path, ...(device === undefined ? {} : { device }) };
    const note = { ...found, ...where, size: file.size, ...time, foundMs };
    if (!this.#isDryRun && this.#notes.add(note)) this.#erase(path, note);
    this.#byPath.set(path, note);
  }

  /** A file of the remote is none. */
  eraseAt(path: string): void {
    const note = this.at(path);
    if (note !== undefined) this.erase(note);
  }

  /** The file of a note is none, or gone. */
  erase({ path }: Suspect): void {
    this.#byPath.delete(path);
    this.#erase(path);
  }

  /** Whether the disk of a note is where it was. */
  async isMounted({ path, device }: Suspect): Promise<boolean> {
    return device === undefined || (await deviceNow(path)) === device;
  }

  #erase(path: string, but?: Suspect): void {
    if (this.#isDryRun) return;
    for (const note of this.#notes.at(path)) if (note !== but) this.#notes.erase(note);
  }

  /** The path by which a file is known, whatever symbolic links lead to it (`--copy-links`). */
  #key(path: string): string {
    const key = cachePath(this.#remote, path);
    return this.#remote.traits.onDisk ? realPath(key) : key;
  }
}

/**
 * Refuses to replace a file by one that `scrub` found suspect; `undefined` if it found none. Throws `config` if their list
 * cannot be read.
 */
export function suspectPass(remote: Remote, env: NodeJS.ProcessEnv): Pass | undefined {
  const suspects = new Suspects(remote, env, () => undefined);
  if (suspects.isEmpty) return undefined;
  return {
    admit({ source, replaces }) {
      if (replaces === undefined || suspects.suspectAt(source) === undefined) return true;
      const why =
        'not copied over the other side: scrub found its content changed without a new time';
      throw new SyncerError('differences', why, { path: source.path });
    },
  };
}
