import { dirname } from 'node:path';
import { cachePath, cacheStoreOf, currentVersion } from '../../caches/hashes/hash-observer.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { pathBelow } from '../../core/remote-path.ts';
import type { Pass } from '../../engine/pass.ts';
import { Notes, type NotesOf } from '../../state/notes.ts';
import { realPath } from '../../system/real-path.ts';

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
  /** See `ContentVersion`. */
  readonly tag?: string;
  /** Of a suspect: the recorded hashes, and those of its content when it was read last. */
  readonly was?: Hashes;
  readonly is?: Hashes;
  /** The file system that it is on (`deviceOf`); absent elsewhere. */
  readonly device?: string;
  /** When the recorded content was read. */
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
  const { deviceOf } = await import('./device-of.ts');
  return deviceOf(dirname(path)).catch(() => undefined);
}

function listError(what: 'kept' | 'read', thrown: unknown, otherwise: string): SyncerError {
  const { message, advice = otherwise } = toSyncerError(thrown);
  return new SyncerError('config', `the list of suspect files cannot be ${what}: ${message}`, {
    advice,
  });
}

/** The suspects of one remote, kept in the state directory. */
export class Suspects {
  readonly #remote: Remote;
  readonly #notes: Notes<Suspect>;
  readonly #byPath = new Map<string, Suspect>();
  readonly #isDryRun: boolean;

  /**
   * Rejects with `config` if the list is there and cannot be read: then any file may be on it.
   *
   * @param onTrouble called if the list cannot be changed, with the reason
   * @param isDryRun what changes is not kept
   */
  static async open(
    remote: Remote,
    stores: NotesOf['stores'],
    onTrouble: (error: SyncerError) => void,
    isDryRun = false,
  ): Promise<Suspects> {
    const notes = await Notes.open<Suspect>({
      kind: 'suspect',
      store: cacheStoreOf(remote) ?? '',
      stores,
      onTrouble: (thrown) => onTrouble(listError('kept', thrown, 'scrub again')),
    }).catch((thrown) => {
      throw listError('read', thrown, 'let this user read it');
    });
    return new Suspects(remote, notes, isDryRun);
  }

  private constructor(remote: Remote, notes: Notes<Suspect>, isDryRun: boolean) {
    this.#remote = remote;
    this.#notes = notes;
    this.#isDryRun = isDryRun;
    for (const note of notes.all) {
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
    const modTime = file.modTime === undefined ? undefined : String(file.modTime);
    const device = this.#remote.traits.onDisk ? await deviceNow(path) : undefined;
    const note = { ...found, path, size: file.size, ...defined({ device, modTime }), foundMs };
    if (!this.#isDryRun && (await this.#notes.add(note))) await this.#erase(path, note);
    this.#byPath.set(path, note);
  }

  /** A file of the remote is none. */
  async eraseAt(path: string): Promise<void> {
    const note = this.at(path);
    if (note !== undefined) await this.erase(note);
  }

  /** The file of a note is none, or gone. */
  async erase({ path }: Suspect): Promise<void> {
    this.#byPath.delete(path);
    await this.#erase(path);
  }

  /** Whether the disk of a note is where it was. */
  async isMounted({ path, device }: Suspect): Promise<boolean> {
    return device === undefined || (await deviceNow(path)) === device;
  }

  async #erase(path: string, but?: Suspect): Promise<void> {
    if (this.#isDryRun) return;
    for (const note of this.#notes.at(path)) if (note !== but) await this.#notes.erase(note);
  }

  /** The path by which a file is known, whatever symbolic links lead to it (`--copy-links`). */
  #key(path: string): string {
    const key = cachePath(this.#remote, path);
    return this.#remote.traits.onDisk ? realPath(key) : key;
  }
}

/**
 * Refuses to replace a file by one that `scrub` found suspect; resolves to `undefined` if it found none. Rejects with
 * `config` if their list cannot be read.
 */
export async function suspectPass(
  remote: Remote,
  stores: NotesOf['stores'],
): Promise<Pass | undefined> {
  const suspects = await Suspects.open(remote, stores, () => undefined);
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
