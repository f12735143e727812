import type { FileEntry } from '../../core/remote.ts';

/** Local changes during one read of a directory: the current node (`N`) of each name. */
export type ChangesOfRead<N> = Map<string, N | undefined>;

/** The local changes in a directory that a listing of the remote may not show. */
export class LocalChanges<N> {
  /** Of each running read. */
  #reads: Set<ChangesOfRead<N>> | undefined;
  /** How many deletions were started, and how many of them are running. */
  #deletions = 0;
  #deleting = 0;
  #leftovers: Map<string, FileEntry> | undefined;

  /** Whether the directory is being read. */
  get isRead(): boolean {
    return this.#reads !== undefined;
  }

  /** Runs a read of the directory. It gets the changes made at the same time, which are newer than its result. */
  async duringRead<T>(read: (changes: ChangesOfRead<N>) => Promise<T>): Promise<T> {
    const changes: ChangesOfRead<N> = new Map();
    this.#reads ??= new Set();
    this.#reads.add(changes);
    try {
      return await read(changes);
    } finally {
      this.#reads.delete(changes);
      if (this.#reads.size === 0) this.#reads = undefined;
    }
  }

  /** Reports the current node of a name to the running reads. */
  note(name: string, node: N | undefined): void {
    for (const changes of this.#reads ?? []) changes.set(name, node);
  }

  /** Runs a call that deletes something from the directory on the remote. */
  async whileDeleting<T>(call: () => Promise<T>): Promise<T> {
    this.#deletions++;
    this.#deleting++;
    try {
      return await call();
    } finally {
      this.#deleting--;
    }
  }

  /** The returned function says whether nothing was deleted since, nor then. */
  watchDeletions(): () => boolean {
    const deletions = this.#deletions;
    const isQuiet = this.#deleting === 0;
    return () => isQuiet && this.#deletions === deletions;
  }

  get hasLeftovers(): boolean {
    return this.#leftovers !== undefined;
  }

  leftoverNames(): readonly string[] {
    return [...(this.#leftovers?.keys() ?? [])];
  }

  /** The file that was deleted under a name while it was open: the remote has it until it is closed. */
  leftover(name: string): FileEntry | undefined {
    return this.#leftovers?.get(name);
  }

  keepLeftover(name: string, entry: FileEntry): void {
    this.#leftovers ??= new Map();
    this.#leftovers.set(name, entry);
  }

  /** The name is used again, or the file is deleted: returns what was left of it. */
  forgetLeftover(name: string): FileEntry | undefined {
    const entry = this.leftover(name);
    this.#leftovers?.delete(name);
    if (this.#leftovers?.size === 0) this.#leftovers = undefined;
    return entry;
  }
}
