import { compareNames } from '../core/name-order.ts';
import type { FileEntry, NameRange } from '../core/remote.ts';
import type { FilePair } from './action.ts';
import type { WalkVisitor } from './walk-both.ts';

/**
 * Pairs that are taken at once: as many as are passed on in about this time, in milliseconds, so that others can take
 * those that would wait.
 */
const SLICE = { first: 16, most: 512, fastMs: 100, slowMs: 250 } as const;

/** Names on which work takes longer than this, each and on average, are worth listing again elsewhere, in milliseconds. */
const SLOW_NAME_MS = 0.3;

/** Into how many parts the names that are listed already can be cut, and how much work each is at least, in milliseconds. */
const [MOST_PARTS, PART_MS] = [9, 100];

/** The visitor for the pairs of a range, which may end while pages beyond its end are already there. */
export function inRange(visitor: WalkVisitor, range: ListedRange): WalkVisitor {
  const pathAt = (pairs: readonly FilePair[], at: number) => {
    const pair = pairs[at];
    return (pair?.source ?? pair?.dest)?.path ?? '';
  };
  const isBeyond = (path: string) => range.last !== undefined && compareNames(path, range.last) > 0;
  let size: number = SLICE.first;
  /** Of the last slices; each counts twice as much as the one before it. */
  let nameMs = 0;
  /** Names that divide those from `from` to `end` into equal parts. */
  const pointsOf = (pairs: readonly FilePair[], from: number, end: number) => {
    const left = end - from;
    const parts = Math.min(MOST_PARTS, left, Math.floor((left * nameMs) / PART_MS));
    return Array.from({ length: Math.max(0, parts - 1) }, (_, part) =>
      pathAt(pairs, from + Math.floor((left * (part + 1)) / parts)),
    );
  };
  const take = async (mine: readonly FilePair[]) => {
    const beganMs = performance.now();
    await visitor.files(mine);
    const tookMs = performance.now() - beganMs;
    nameMs = (nameMs + tookMs / mine.length) / 2;
    if (tookMs < SLICE.fastMs) size = Math.min(SLICE.most, size * 2);
    else if (tookMs > SLICE.slowMs) size = Math.max(1, size >> 1);
  };
  return {
    ...visitor,
    async files(pairs) {
      for (let at = 0, end = pairs.length; ; ) {
        while (end > at && isBeyond(pathAt(pairs, end - 1))) end--;
        if (at === end) return;
        const next = Math.min(end, at + size);
        const isSlow = nameMs > SLOW_NAME_MS;
        const points = isSlow ? pointsOf(pairs, next, end) : [];
        const span = { first: pathAt(pairs, at), last: pathAt(pairs, next - 1), points, isSlow };
        if (!(await range.reaches(next - at, span))) continue;
        await take(pairs.slice(at, next));
        at = next;
      }
    },
  };
}

/** Names that are worked on. */
export interface NameSpan {
  readonly first: string;
  readonly last: string;
  /** Names behind them that are listed already, which divide all of those into equal parts; none: few are listed. */
  readonly points: readonly string[];
  /** Working on names takes longer than listing them. */
  readonly isSlow: boolean;
}

/** A range of names that a run is about. */
export interface ListedRange extends NameRange {
  /** The last page of a side has come. */
  listed(side: 'source' | 'dest'): void;
  /**
   * Called before this many pairs of files more are worked on, in order. `false`: the range has come to end before the
   * last of them, and `last` says where. Rejects if the range may not be worked on any more.
   */
  reaches(names: number, span: NameSpan): Promise<boolean>;
  /**
   * What a later phase deletes, and this one only counts: files that only the destination has (`extra`: what cannot be
   * listed of it is an error), or those of the source; absent: nothing.
   */
  readonly deletesLater?: 'extra' | 'source' | undefined;
  /** A file that a later phase deletes, or only the destination has; in a check a difference. `bytes`: -1 if unknown. */
  onExtra(bytes: number): void;
  /** A file of the destination; `isExtra`: only the destination has it. */
  onDest?(file: FileEntry, isExtra: boolean): void;
}
