import { compareNames } from '../core/name-order.ts';
import type { FileEntry } from '../core/remote.ts';
import type { SegmentReader } from '../segments/segment-reader.ts';
import { isDescribed, type KnownTime } from './known-time.ts';

/** The records of a segment that a listing of its whole directory confirmed. */
export interface SeenSegment {
  readonly path: string;
  readonly seen: SeenRecords;
}

/** A set of record numbers, one bit each. */
export class SeenRecords {
  #bits = new Uint8Array(64);
  count = 0;

  has(ordinal: number): boolean {
    return ((this.#bits[ordinal >> 3] ?? 0) & (1 << (ordinal & 7))) !== 0;
  }

  add(ordinal: number): void {
    const at = ordinal >> 3;
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (ordinal & 7));
    this.count++;
  }
}

/** The share of outdated records above which a segment is rewritten. */
const STALE_SHARE = 0.25;
/** Fewer outdated records are never worth a rewrite. */
const FEW_STALE = 64;

/** The known times of one directory, read forwards in step with its listing. */
export class DirectoryTimes {
  readonly id: string;
  readonly #segments: readonly {
    readonly reader: SegmentReader<KnownTime>;
    readonly seen: SeenRecords;
    /** The current record describes the file that was looked up last. */
    isTrue: boolean;
  }[];
  readonly #unwritten: (name: string) => KnownTime | undefined;

  /** @param unwritten what this run has learned and not written yet */
  constructor(
    id: string,
    readers: readonly SegmentReader<KnownTime>[],
    unwritten: (name: string) => KnownTime | undefined,
  ) {
    this.id = id;
    this.#segments = readers.map((reader) => ({
      reader,
      seen: new SeenRecords(),
      isTrue: false,
    }));
    this.#unwritten = unwritten;
  }

  /** The known time of a listed file; names must come in order. `undefined` if two records contradict each other. */
  find(name: string, file: FileEntry): KnownTime | undefined {
    const fresh = this.#unwritten(name);
    let found = fresh !== undefined && isDescribed(fresh, file) ? fresh : undefined;
    let isCertain = true;
    const segments = this.#segments;
    for (let at = 0; at < segments.length; at++) {
      const segment = segments[at] as (typeof segments)[number];
      const { reader } = segment;
      while (reader.name !== undefined && compareNames(reader.name, name) < 0) reader.advance();
      const known = reader.name === name ? reader.record() : undefined;
      segment.isTrue = known !== undefined && isDescribed(known, file);
      if (known === undefined || !segment.isTrue) continue;
      if (found !== undefined && found.modTime !== known.modTime) isCertain = false;
      found ??= known;
    }
    if (!isCertain) return undefined;
    for (let at = 0; at < segments.length; at++) {
      const { reader, seen, isTrue } = segments[at] as (typeof segments)[number];
      if (isTrue) seen.add(reader.ordinal);
    }
    return found;
  }

  /** The listing begins with this name. What it leaves out is not confirmed: it must not end with `finish`. */
  skipTo(name: string): void {
    for (const { reader } of this.#segments) reader.skipTo(name);
  }

  /** After a listing of the whole directory: the segments worth rewriting. */
  finish(): readonly SeenSegment[] | undefined {
    let [records, stale, isDamaged] = [0, 0, false];
    for (const { reader, seen } of this.#segments) {
      while (reader.name !== undefined) reader.advance();
      records += reader.ordinal + 1;
      stale += reader.ordinal + 1 - seen.count;
      isDamaged ||= reader.isDamaged;
      reader.close();
    }
    const isStale = stale > FEW_STALE && stale > records * STALE_SHARE;
    if (!isStale && !isDamaged && this.#segments.length < 2) return undefined;
    return this.#segments.map(({ reader, seen }) => ({ path: reader.path, seen }));
  }

  /** Closes a listing that was not read to its end. */
  close(): void {
    for (const { reader } of this.#segments) reader.close();
  }
}
