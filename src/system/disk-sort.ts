import { tmpdir } from 'node:os';
import { deserialize, serialize } from 'node:v8';
import { type NamelessFile, namelessFile } from './nameless-file.ts';

/** How many records are sorted in memory to a run on disk: at most, and at least. */
const [LONGEST_RUN, SHORTEST_RUN] = [100_000, 20_000];
/** How many records are read from a run at a time. */
const BLOCK_LENGTH = 256;

/** A block of a run in the file. */
interface Block {
  readonly offset: number;
  readonly length: number;
}

/** A run that is being merged. */
interface Cursor<T> {
  readonly run: number;
  readonly blocks: Block[];
  records: readonly T[];
  at: number;
}

/**
 * Sorts records in a temporary file, so that memory holds only a part of them: sorted runs, which are merged. Records
 * of `structuredClone`. The file has no name from the beginning, so that nothing is left of it, however the process
 * ends. Rejects with `no-space` or as the disk does.
 */
export class DiskSorter<T> {
  readonly #compare: (a: T, b: T) => number;
  readonly #file: NamelessFile;
  readonly #runLength: number;
  readonly #runs: Block[][] = [];
  #waiting: T[] = [];

  /** @param room how many records the caller would hold in memory */
  constructor(compare: (a: T, b: T) => number, room = LONGEST_RUN, folder = tmpdir()) {
    this.#compare = compare;
    this.#runLength = Math.min(LONGEST_RUN, Math.max(SHORTEST_RUN, room));
    const advice = 'set TMPDIR to a directory with more space, or raise --list-cutoff';
    this.#file = namelessFile('the temporary file of a large listing', advice, folder);
  }

  add(records: Iterable<T>): void {
    for (const record of records) {
      this.#waiting.push(record);
      if (this.#waiting.length >= this.#runLength) this.#spill();
    }
  }

  /** All records in order, in pages of this length; equal ones as they were added. Closes the file at the end. */
  *pages(length: number): Generator<T[]> {
    try {
      this.#spill();
      const cursors = this.#runs.map((blocks, run) => {
        const cursor: Cursor<T> = { run, blocks: blocks.toReversed(), records: [], at: -1 };
        this.#advance(cursor);
        return cursor;
      });
      cursors.sort((a, b) => this.#order(a, b));
      let page: T[] = [];
      for (;;) {
        const first = cursors.shift();
        const record = first?.records[first.at];
        if (first === undefined || record === undefined) break;
        page.push(record);
        if (page.length >= length) {
          yield page;
          page = [];
        }
        if (!this.#advance(first)) continue;
        let [low, high] = [0, cursors.length];
        while (low < high) {
          const middle = (low + high) >> 1;
          const other = cursors[middle];
          if (other !== undefined && this.#order(other, first) < 0) low = middle + 1;
          else high = middle;
        }
        cursors.splice(low, 0, first);
      }
      if (page.length > 0) yield page;
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#file.close();
  }

  #spill(): void {
    const records = this.#waiting.sort(this.#compare);
    this.#waiting = [];
    if (records.length === 0) return;
    const blocks: Block[] = [];
    for (let from = 0; from < records.length; from += BLOCK_LENGTH) {
      const bytes = serialize(records.slice(from, from + BLOCK_LENGTH));
      blocks.push({ offset: this.#file.length, length: bytes.length });
      this.#file.append(bytes);
    }
    this.#runs.push(blocks);
  }

  /** Moves to the next record; `false` at the end. */
  #advance(cursor: Cursor<T>): boolean {
    cursor.at++;
    if (cursor.at < cursor.records.length) return true;
    const block = cursor.blocks.pop();
    if (block === undefined) return false;
    cursor.records = deserialize(this.#file.read(block.offset, block.length)) as T[];
    cursor.at = 0;
    return true;
  }

  #order(a: Cursor<T>, b: Cursor<T>): number {
    const [left, right] = [a.records[a.at], b.records[b.at]];
    if (left === undefined || right === undefined) return 0;
    return this.#compare(left, right) || a.run - b.run;
  }
}
