import { compareNames, sortedBytes } from '../../core/name-order.ts';
import type { FileEntry } from '../../core/remote.ts';
import type { TimePage } from '../../state/times.ts';
import { isDescribed, type KnownTime } from './known-time.ts';
import {
  decodeRecord,
  RecordBytes,
  recordEnd,
  recordName,
  SHORTEST_RECORD,
} from './time-format.ts';

/** A page with records that a listing of its whole directory did not confirm. */
export interface StalePage extends Pick<TimePage, 'first' | 'sum'> {
  /** 1 at the number of each that it confirmed. */
  readonly seen: Uint8Array;
}

/** Where the pages of a directory come from. */
export interface PageSource {
  /** The page behind the one that begins with `first`; without it the first page. */
  after(first: Buffer | undefined): TimePage | undefined;
  /** The last page that begins at `name` or before. */
  at(name: Buffer): TimePage | undefined;
  /** What this run has learned and not written yet. */
  unwritten(name: string): KnownTime | undefined;
}

/** The known times of one directory, read forwards in step with its listing, one page at a time. */
export class DirectoryTimes {
  readonly id: string;
  readonly #source: PageSource;
  #page: TimePage | undefined;
  #records = new RecordBytes(Buffer.alloc(0));
  #seen = new Uint8Array(0);
  #seenCount = 0;
  /** The current record, its number in the page, and its name; `undefined` after the last. */
  #at = 0;
  #ordinal = 0;
  #name: string | undefined;
  /** The name that was looked up last. */
  #last: string | undefined;
  /** Records of the page up to this name were in an earlier one, which a run has divided since. */
  #passed: string | undefined;
  readonly #stale: StalePage[] = [];

  constructor(id: string, source: PageSource) {
    this.id = id;
    this.#source = source;
    this.#enter(source.after(undefined));
  }

  /** The known time of a listed file; names must come in order. `undefined` if two records contradict each other. */
  find(name: string, file: FileEntry): KnownTime | undefined {
    while (this.#name !== undefined && compareNames(this.#name, name) < 0) this.#advance();
    this.#last = name;
    const fresh = this.#source.unwritten(name);
    const learned = fresh !== undefined && isDescribed(fresh, file) ? fresh : undefined;
    if (this.#name !== name) return learned;
    const known = decodeRecord(this.#records, this.#at, name);
    if (!isDescribed(known, file)) return learned;
    if (learned !== undefined && learned.modTime !== known.modTime) return undefined;
    this.#see();
    return learned ?? known;
  }

  /** The listing begins with this name. What it leaves out is not confirmed: it must not end with `finish`. */
  skipTo(name: string): void {
    const page = this.#source.at(sortedBytes(name));
    if (page !== undefined) this.#enter(page);
  }

  /** After a listing of the whole directory: the pages worth rewriting. */
  finish(): readonly StalePage[] {
    while (this.#name !== undefined) this.#advance();
    return this.#stale;
  }

  #advance(): void {
    const { bytes } = this.#records;
    const passed = this.#passed;
    if (passed !== undefined && compareNames(this.#name ?? '', passed) <= 0) this.#see();
    this.#ordinal++;
    this.#at = recordEnd(this.#records, this.#at);
    if (this.#at < bytes.length) this.#name = recordName(this.#records, this.#at);
    else this.#leave();
  }

  #see(): void {
    this.#seen[this.#ordinal] = 1;
    this.#seenCount++;
  }

  #leave(): void {
    const page = this.#page;
    if (page === undefined) return;
    const stale = this.#ordinal - this.#seenCount;
    // A few outdated records are not worth a rewrite.
    if (stale > 64 && stale > this.#ordinal * 0.25) this.#noteStale(page);
    this.#enter(this.#source.after(page.first));
  }

  /** Begins with a page, or the first one behind that is not damaged. */
  #enter(found: TimePage | undefined): void {
    let page = found;
    for (; page?.isDamaged; page = this.#source.after(page.first)) this.#noteStale(page);
    this.#page = page;
    this.#seen = new Uint8Array((page?.records.length ?? 0) / SHORTEST_RECORD);
    this.#seenCount = 0;
    this.#at = 0;
    this.#ordinal = 0;
    this.#records = new RecordBytes(page?.records ?? Buffer.alloc(0));
    this.#name = page && recordName(this.#records, 0);
    const last = this.#last;
    const isPassed =
      last !== undefined && this.#name !== undefined && compareNames(this.#name, last) <= 0;
    this.#passed = isPassed ? last : undefined;
  }

  #noteStale({ first, sum }: TimePage): void {
    this.#stale.push({ first, sum, seen: this.#seen });
  }
}
