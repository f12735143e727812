import { DEFAULT_LIST_CUTOFF } from '../core/context.ts';
import { compareEntries } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import type { DiskSorter } from '../system/disk-sort.ts';

/** Number of entries of a page that comes from a disk. */
const PAGE_LENGTH = 1000;

/** The entries of one directory, in memory up to a number and on disk beyond (`--list-cutoff`). */
export class EntrySorter {
  readonly #cutoff: number;
  readonly #onDisk: (cutoff: number) => void;
  #entries: Entry[] = [];
  #sorter: DiskSorter<Entry> | undefined;

  /** @param onDisk called when the disk begins to be used */
  constructor(cutoff = DEFAULT_LIST_CUTOFF, onDisk: (cutoff: number) => void) {
    this.#cutoff = cutoff;
    this.#onDisk = onDisk;
  }

  async add(entries: readonly Entry[]): Promise<void> {
    if (this.#sorter !== undefined) return this.#sorter.add(entries);
    for (const entry of entries) this.#entries.push(entry);
    if (this.#entries.length <= this.#cutoff) return;
    const { DiskSorter } = await import('../system/disk-sort.ts');
    this.#onDisk(this.#cutoff);
    this.#sorter = new DiskSorter<Entry>(compareEntries, this.#cutoff);
    this.#sorter.add(this.#entries);
    this.#entries = [];
  }

  /** All entries, sorted by `compareEntries`. */
  *pages(): Generator<readonly Entry[]> {
    if (this.#sorter === undefined) yield this.#entries.sort(compareEntries);
    else yield* this.#sorter.pages(PAGE_LENGTH);
  }

  close(): void {
    this.#sorter?.close();
  }
}
