import { defined } from '../../core/defined.ts';
import { compareNames } from '../../core/name-order.ts';

/** `copying` compares and copies, `deleting` does the same again and deletes extra files. */
export type Phase = (typeof PHASES)[number];

const PHASES = ['copying', 'deleting', 'done'] as const;

/** Whether a text that anybody can have written is a phase. */
export const isPhase = (text: string): text is Phase => PHASES.some((phase) => phase === text);

/**
 * A range of names in the ledger: behind `after`, up to and with `last`; absent: from the first, to the last name. No
 * two ranges have the same `after`, and it never changes.
 */
export interface RangeRecord {
  readonly after?: string;
  readonly last?: string;
  readonly state: 'open' | 'held' | 'done' | 'failed';
  /** What its holder shows to prove that it still is. */
  readonly token?: string;
  /** A name for its holder. */
  readonly owner?: string;
  /** Claims in this phase that have not ended; absent: none. */
  readonly tries?: number;
  /** The first of the names that its holder works on, and the last: it is never cut before that. */
  readonly seen?: string;
  readonly reached?: string;
  /** How often its holder has reached further, and how often it was cut. */
  readonly batches?: number;
  readonly cuts?: number;
  /** The last page of the source has come: nothing is left behind the names that are listed. */
  readonly isListed?: boolean;
  /** Names behind `reached` that are listed, which divide those into equal parts; absent: few are. */
  readonly points?: readonly string[];
  /** Work on its names takes longer than listing them. */
  readonly isSlow?: boolean;
  /** Its last holder found errors that another attempt would find again. */
  readonly isHopeless?: boolean;
  /** Files of the source in it. */
  readonly files: number;
  /** Files that the next phase deletes: those that only the destination has, or in a move those of the source. */
  readonly extra: number;
  /** The sizes of those, in bytes; absent: 0. */
  readonly extraBytes?: number;
  /** Files of the destination in it before the copies; absent: none. */
  readonly dest?: number;
}

/** A ledger as data. Its ranges are in order. */
export interface LedgerRecord {
  readonly phase: Phase;
  readonly ranges: readonly RangeRecord[];
}

/** What was counted in a range. */
export type RangeCounts = Pick<RangeRecord, 'files' | 'extra' | 'extraBytes' | 'dest'>;

/** One range with all names, nothing done. */
export const NEW_RANGE: RangeRecord = { state: 'open', files: 0, extra: 0 };

/** Whether data that anybody can have written is a range. */
export function isRangeRecord(value: Partial<Record<keyof RangeRecord, unknown>>): boolean {
  const { state, points = [], tries = 0, batches = 0, cuts = 0, files, extra } = value;
  const { extraBytes = 0, dest = 0 } = value;
  const names = [value.after, value.last, value.seen, value.reached, value.token, value.owner];
  const isName = (name: unknown) => typeof name === 'string';
  const isCount = (count: unknown) => Number.isSafeInteger(count) && Number(count) >= 0;
  return (
    ['open', 'held', 'done', 'failed'].includes(String(state)) &&
    names.every((name) => name === undefined || isName(name)) &&
    Array.isArray(points) &&
    points.every(isName) &&
    [tries, batches, cuts, files, extra, extraBytes, dest].every(isCount)
  );
}

/** Whether ranges, in order, cover all names without gap or overlap. */
export function coversAllNames(
  ranges: readonly { readonly after?: string | undefined; readonly last?: string | undefined }[],
): boolean {
  if (ranges.length === 0) return false;
  return ranges.every(({ after, last }, i) => {
    if (i === 0 && after !== undefined) return false;
    if (i > 0 && (after === undefined || after !== ranges[i - 1]?.last)) return false;
    const isLast = i === ranges.length - 1;
    if (isLast || last === undefined) return isLast && last === undefined;
    return after === undefined || compareNames(after, last) < 0;
  });
}

/** Ranges in the order of their names. */
export function inOrder(ranges: Iterable<RangeRecord>): RangeRecord[] {
  return [...ranges].sort(({ after: a }, { after: b }) => {
    if (a === undefined || b === undefined)
      return Number(a !== undefined) - Number(b !== undefined);
    return compareNames(a, b);
  });
}

/** A range whose work begins again: only its bounds and its claims so far remain. */
export function waiting({ after, last, tries, isHopeless }: RangeRecord): RangeRecord {
  return { ...NEW_RANGE, ...defined({ after, last, tries, isHopeless }) };
}

/**
 * A held range that ends at `point`, and the rest, which waits for a holder. `undefined` where its holder is already
 * beyond, or one of both would be empty.
 */
export function cutAt(
  range: RangeRecord,
  point: string,
): readonly [first: RangeRecord, rest: RangeRecord] | undefined {
  const { after, last, reached = after } = range;
  if (range.state !== 'held') return undefined;
  if (reached !== undefined && compareNames(point, reached) < 0) return undefined;
  if (after !== undefined && compareNames(point, after) <= 0) return undefined;
  if (last !== undefined && compareNames(point, last) >= 0) return undefined;
  const { tries: _tries, ...rest } = waiting(range);
  const points = pointsBefore(point, range.points);
  const { points: _, ...first } = range;
  const left = points.length === 0 ? {} : { points };
  const isListed = range.points?.includes(point) === true ? { isListed: true } : {};
  return [
    { ...first, ...left, ...isListed, last: point, cuts: (range.cuts ?? 0) + 1 },
    { ...rest, after: point },
  ];
}

/** Those of the names at which a range can be cut that are before its last one. */
export function pointsBefore(
  last: string | undefined,
  points: readonly string[] = [],
): readonly string[] {
  return last === undefined ? points : points.filter((name) => compareNames(name, last) < 0);
}

/** Counts as they are stored: nothing instead of 0. */
export function storedCounts({ extraBytes = 0, dest = 0 }: Partial<RangeCounts>) {
  return { ...(extraBytes > 0 && { extraBytes }), ...(dest > 0 && { dest }) };
}

/** Two neighbours as one; `undefined` unless both are done and the phases that follow need neither by itself. */
export function joined(
  one: RangeRecord | undefined,
  next: RangeRecord | undefined,
  phase: Phase,
): RangeRecord | undefined {
  if (one?.state !== 'done' || next?.state !== 'done' || one.last !== next.after) return undefined;
  if (one.last === undefined) return undefined;
  if (phase === 'copying' && one.extra + next.extra > 0) return undefined;
  const { last: _, ...first } = one;
  return {
    ...first,
    ...(next.last === undefined ? {} : { last: next.last }),
    files: one.files + next.files,
    extra: one.extra + next.extra,
    ...storedCounts({
      extraBytes: (one.extraBytes ?? 0) + (next.extraBytes ?? 0),
      dest: (one.dest ?? 0) + (next.dest ?? 0),
    }),
  };
}

/**
 * The next phase, if every range of this one is done and they cover all names, and the ranges that wait in it: those
 * with extra files. `undefined` if it must not begin.
 */
export function phaseAfter(
  { phase, ranges }: LedgerRecord,
  deletes: boolean,
): { readonly phase: Phase; readonly again: readonly RangeRecord[] } | undefined {
  const isOver = ranges.every(({ state }) => state === 'done') && coversAllNames(ranges);
  if (!isOver || phase === 'done') return undefined;
  const again = ranges.filter(({ extra }) => extra > 0);
  const isDeleting = phase === 'copying' && deletes && again.length > 0;
  return isDeleting ? { phase: 'deleting', again } : { phase: 'done', again: [] };
}

/** A change of one range: what it is now, and what it becomes. At least one of both is there. */
export interface RangeChange {
  /** Absent: there is no such range yet. */
  readonly was?: RangeRecord;
  /** Absent: it ends to exist. */
  readonly now?: RangeRecord;
}

/** A range of a ledger, if it has it, and the phase of the ledger. */
export interface FoundRange {
  readonly phase: Phase;
  readonly range: RangeRecord | undefined;
}

/** Where a ledger is kept. All decisions are made by the ledger; a store only changes nothing that has changed. */
export interface RangeStore {
  read(): Promise<LedgerRecord>;
  /** The range that begins behind `after`, and the phase. */
  find(after: string | undefined): Promise<FoundRange>;
  /**
   * The first range that waits, and the phase.
   *
   * @param isAny or another one that waits: several have tried to claim the first
   */
  open(isAny: boolean): Promise<FoundRange>;
  /**
   * Makes all changes, or none: `false` if the phase is another one by now or a range is not what it was.
   *
   * @param next the phase after the changes; absent: the same
   */
  swap(phase: Phase, changes: readonly RangeChange[], next?: Phase): Promise<boolean>;
}

/** The key of a range in a store. As JSON: names that are no valid UTF-8 keep their bytes. */
export const rangeKey = (after: string | undefined): string =>
  after === undefined ? '' : JSON.stringify(after);

/** A ledger in memory, for one process. */
export class MemoryRanges implements RangeStore {
  #phase: Phase;
  readonly #ranges: Map<string, RangeRecord>;

  /** @param record absent: everything is one range, and nothing is done */
  constructor(record: LedgerRecord = { phase: 'copying', ranges: [NEW_RANGE] }) {
    this.#phase = record.phase;
    this.#ranges = new Map(record.ranges.map((range) => [rangeKey(range.after), range]));
  }

  /** The whole ledger, at once. */
  get record(): LedgerRecord {
    return { phase: this.#phase, ranges: inOrder(this.#ranges.values()) };
  }

  async read(): Promise<LedgerRecord> {
    return this.record;
  }

  async find(after: string | undefined) {
    return { phase: this.#phase, range: this.#ranges.get(rangeKey(after)) };
  }

  async open() {
    const { phase, ranges } = this.record;
    return { phase, range: ranges.find(({ state }) => state === 'open') };
  }

  async swap(phase: Phase, changes: readonly RangeChange[], next = phase): Promise<boolean> {
    const keyOf = ({ was, now }: RangeChange) => rangeKey((was ?? now)?.after);
    const isCurrent =
      this.#phase === phase && changes.every((one) => this.#ranges.get(keyOf(one)) === one.was);
    if (!isCurrent) return false;
    for (const change of changes) {
      if (change.now === undefined) this.#ranges.delete(keyOf(change));
      else this.#ranges.set(keyOf(change), change.now);
    }
    this.#phase = next;
    return true;
  }
}
