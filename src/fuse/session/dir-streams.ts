import type { Op } from '../../core/remote.ts';
import type { ListedEntry, MountOps } from '../../vfs/mount-ops.ts';

/** Entries of a directory that the kernel does not have yet. */
interface Stream {
  /** Position of the entry at `index`, in the file system's numbers. */
  position: number;
  entries: readonly ListedEntry[];
  index: number;
}

/** Open directories, read block by block. Entries that did not fit wait here for the next block. */
export class DirStreams {
  readonly #ops: MountOps;
  readonly #streams = new Map<number, Stream>();

  constructor(ops: MountOps) {
    this.#ops = ops;
  }

  /** The entry at a position; `undefined` at the end of the directory. */
  async at(handle: number, position: number, op: Op): Promise<ListedEntry | undefined> {
    const held = this.#streams.get(handle);
    if (held?.position === position && held.index < held.entries.length) {
      return held.entries[held.index];
    }
    const entries = await this.#ops.readDir(handle, position, op);
    this.#streams.set(handle, { position, entries, index: 0 });
    return entries[0];
  }

  /** The kernel has the entry: returns the next one available, `undefined` if the file system must be asked. */
  advance(handle: number): ListedEntry | undefined {
    const stream = this.#streams.get(handle);
    const told = stream?.entries[stream.index];
    if (stream === undefined || told === undefined) return undefined;
    stream.position = told.next;
    return stream.entries[++stream.index];
  }

  close(handle: number): void {
    this.#streams.delete(handle);
    this.#ops.releaseDir(handle);
  }
}
