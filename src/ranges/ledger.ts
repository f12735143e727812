import { compareNames } from '../core/name-order.ts';

/** `copying` compares and copies, `deleting` does the same again and deletes extra files. */
export type Phase = 'copying' | 'deleting' | 'done';

/** A range of names in the ledger: behind `after`, up to and with `last`; absent: from the first, to the last name. */
export interface RangeRecord {
  readonly after?: string;
  readonly last?: string;
  readonly isDone: boolean;
  /** Files of the source in it, and files that only the destination has. */
  readonly files: number;
  readonly extra: number;
}

/** A ledger as data. */
export interface LedgerRecord {
  readonly phase: Phase;
  readonly ranges: readonly RangeRecord[];
}

/** What was counted in a range. */
export type RangeCounts = Pick<RangeRecord, 'files' | 'extra'>;

/** A range that its holder works on. It ends earlier after a cut. */
export interface Claim {
  readonly token: string;
  readonly phase: Phase;
  readonly after: string | undefined;
  readonly last: string | undefined;
}

interface Range {
  after: string | undefined;
  last: string | undefined;
  state: 'open' | 'held' | 'done' | 'failed';
  token: string | undefined;
  /** Up to here its holder has listed; it is never cut before. */
  reached: string | undefined;
  files: number;
  extra: number;
}

/**
 * The truth about a run in ranges: ranges of names without gap or overlap, and what became of each. The holder of a
 * range has a token; what is reported with another one is refused. Nothing is deleted before every range is copied.
 * Pure: no clock and no storage.
 */
export class Ledger {
  #phase: Phase;
  #ranges: Range[];

  /** @param record absent: everything is one range, and nothing is done */
  constructor(record?: LedgerRecord) {
    this.#phase = record?.phase ?? 'copying';
    const none = { isDone: false, files: 0, extra: 0 };
    this.#ranges = (record?.ranges ?? [none]).map(({ isDone, ...range }) => ({
      after: undefined,
      last: undefined,
      ...range,
      state: isDone ? 'done' : 'open',
      token: undefined,
      reached: undefined,
    }));
  }

  get phase(): Phase {
    return this.#phase;
  }

  get counts(): { readonly ranges: number; readonly done: number } & RangeCounts {
    const done = this.#ranges.filter(({ state }) => state === 'done');
    const sum = (of: (range: Range) => number) => done.reduce((total, one) => total + of(one), 0);
    return {
      ...{ ranges: this.#ranges.length, done: done.length },
      ...{ files: sum(({ files }) => files), extra: sum(({ extra }) => extra) },
    };
  }

  /** The first range that waits, now held with `token`; `undefined` if none waits. */
  claim(token: string): Claim | undefined {
    const range = this.#ranges.find(({ state }) => state === 'open');
    if (range === undefined || this.#phase === 'done') return undefined;
    Object.assign(range, { state: 'held', token, reached: undefined, files: 0, extra: 0 });
    const phase = this.#phase;
    return {
      ...{ token, phase, after: range.after },
      get last() {
        return range.last;
      },
    };
  }

  /** The holder has listed up to `name`. */
  reach(token: string, name: string): boolean {
    const range = this.#held(token);
    if (range === undefined) return false;
    const isFurther = range.reached === undefined || compareNames(name, range.reached) > 0;
    if (isFurther) range.reached = name;
    return true;
  }

  /** Ends a held range at `point`; the rest waits for another holder. Only where its holder has not listed yet. */
  cut(token: string, point: string): boolean {
    const range = this.#held(token);
    if (range === undefined) return false;
    const { after, last, reached = after } = range;
    if (reached !== undefined && compareNames(point, reached) < 0) return false;
    if (after !== undefined && compareNames(point, after) <= 0) return false;
    if (last !== undefined && compareNames(point, last) >= 0) return false;
    const rest: Range = { ...range, after: point, last, state: 'open', token: undefined };
    this.#ranges.splice(this.#ranges.indexOf(range) + 1, 0, { ...rest, files: 0, extra: 0 });
    range.last = point;
    return true;
  }

  /** The range is done. Neighbours without extra files become one. */
  done(token: string, counts: RangeCounts): boolean {
    const range = this.#held(token);
    if (range === undefined) return false;
    Object.assign(range, { ...counts, state: 'done', token: undefined });
    const at = this.#ranges.indexOf(range);
    this.#join(at);
    this.#join(at - 1);
    return true;
  }

  /** The range could not be done: it waits for `reopen`. */
  fail(token: string): boolean {
    const range = this.#held(token);
    if (range === undefined) return false;
    Object.assign(range, { state: 'failed', token: undefined, reached: undefined });
    return true;
  }

  /** Another attempt: ranges that failed wait again. */
  reopen(): void {
    for (const range of this.#ranges) if (range.state === 'failed') range.state = 'open';
  }

  /**
   * The next phase, if every range of this one is done and they cover all names: ranges with extra files wait again.
   * `false` if it must not begin.
   */
  nextPhase(deletes: boolean): boolean {
    const isOver =
      this.#ranges.every(({ state }) => state === 'done') && coversAllNames(this.#ranges);
    if (!isOver || this.#phase === 'done') return false;
    const extra = this.#ranges.filter((range) => range.extra > 0);
    if (this.#phase === 'copying' && deletes && extra.length > 0) {
      this.#phase = 'deleting';
      for (const range of extra) range.state = 'open';
    } else this.#phase = 'done';
    return true;
  }

  /** Ranges that are held now wait in it: their holders end with the process. */
  record(): LedgerRecord {
    const ranges = this.#ranges.map(({ after, last, state, files, extra }) => ({
      ...(after === undefined ? {} : { after }),
      ...(last === undefined ? {} : { last }),
      ...{ isDone: state === 'done', files, extra },
    }));
    return { phase: this.#phase, ranges };
  }

  #held(token: string): Range | undefined {
    return this.#ranges.find((range) => range.state === 'held' && range.token === token);
  }

  #join(at: number): void {
    const [one, next] = [this.#ranges[at], this.#ranges[at + 1]];
    if (one?.state !== 'done' || next?.state !== 'done') return;
    if (this.#phase === 'copying' && one.extra + next.extra > 0) return;
    one.last = next.last;
    one.files += next.files;
    one.extra += next.extra;
    this.#ranges.splice(at + 1, 1);
  }
}

/** Whether ranges, in order, cover all names without gap or overlap. */
export function coversAllNames(
  ranges: readonly { readonly after?: string | undefined; readonly last?: string | undefined }[],
): boolean {
  return ranges.every(({ after, last }, i) => {
    if (i === 0 && after !== undefined) return false;
    if (i > 0 && (after === undefined || after !== ranges[i - 1]?.last)) return false;
    const isLast = i === ranges.length - 1;
    if (isLast || last === undefined) return isLast && last === undefined;
    return after === undefined || compareNames(after, last) < 0;
  });
}
