import { SyncerError } from '../../core/errors.ts';
import type { Entry, Op } from '../../core/remote.ts';
import { parentPath } from '../../core/remote-path.ts';

/** What a name stands for on a remote; `undefined`: nothing. */
type Stat = (path: string, op: Op) => Promise<Entry | undefined>;

/**
 * The directories of a remote that can hold a file and a directory under one name, and then shows only one of them: a
 * union puts them on two upstreams. One that is in the way is found before anything is written.
 */
export class SeenDirs {
  readonly #stat: Stat;
  readonly #paths = new Set<string>();
  /** The looks at directories that are under way. */
  readonly #looks = new Map<string, Promise<void>>();

  constructor(stat: Stat) {
    this.#stat = stat;
  }

  /** Notes the directories of a listing, or of a look at one. */
  note(entries: readonly Entry[]): void {
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] as Entry;
      if (entry.kind === 'dir') this.#paths.add(entry.path);
    }
  }

  /**
   * Rejects with `not-a-file` if a directory has the name of a new file, with `not-a-directory` if a file has that of a
   * directory above it. Looks only where no directory is known: once for each new directory.
   *
   * @param isUnseen no look or listing of the run was at the path
   */
  async refuseClash(path: string, op: Op, isUnseen = false): Promise<void> {
    if (isUnseen || this.#paths.has(path)) {
      if ((await this.#stat(path, op))?.kind === 'dir')
        throw new SyncerError('not-a-file', `${path}: is a directory, not a file`, { path });
      this.#paths.delete(path);
    }
    await this.#knowDir(parentPath(path), op);
  }

  /** Rejects with `not-a-directory` if a file has the name of a directory, or of one above it. */
  async #knowDir(dir: string, op: Op): Promise<void> {
    if (dir === '' || this.#paths.has(dir)) return;
    let look = this.#looks.get(dir);
    if (look === undefined) {
      look = this.#lookAt(dir, op).finally(() => this.#looks.delete(dir));
      this.#looks.set(dir, look);
    }
    await look;
  }

  async #lookAt(dir: string, op: Op): Promise<void> {
    const found = await this.#stat(dir, op);
    if (found?.kind === 'file') {
      const text = `${dir}: is a file, not a directory`;
      throw new SyncerError('not-a-directory', text, { path: dir });
    }
    if (found === undefined) await this.#knowDir(parentPath(dir), op);
    // It is one, or becomes one.
    this.#paths.add(dir);
  }
}
