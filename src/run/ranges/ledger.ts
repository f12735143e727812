import { defined } from '../../core/defined.ts';
import { compareNames } from '../../core/name-order.ts';
import type { NameSpan } from '../../engine/in-range.ts';

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
type RangeCounts = Pick<RangeRecord, 'files' | 'extra' | 'extraBytes' | 'dest'>;

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
function cutAt(
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
function pointsBefore(last: string | undefined, points: readonly string[] = []): readonly string[] {
  return last === undefined ? points : points.filter((name) => compareNames(name, last) < 0);
}

/** Counts as they are stored: nothing instead of 0. */
function storedCounts({ extraBytes = 0, dest = 0 }: Partial<RangeCounts>) {
  return { ...(extraBytes > 0 && { extraBytes }), ...(dest > 0 && { dest }) };
}

/** Two neighbours as one; `undefined` unless both are done and the phases that follow need neither by itself. */
function joined(
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
interface RangeChange {
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

/** Claims of a range that did not end before its holder works page by page, and before it is given up. */
export const CLAIMS = { careful: 3, most: 5 } as const;

/**
 * The truth about a run in ranges: ranges of names without gap or overlap, and what became of each. The holder of a
 * range has a token; what is reported with another one is refused. Nothing is deleted before every range is copied.
 * No clock and no storage: each change is made by a store, if nothing that it rests on has changed.
 */
export class Ledger {
  readonly #store: RangeStore;

  constructor(store: RangeStore) {
    this.#store = store;
  }

  read(): Promise<LedgerRecord> {
    return this.#store.read();
  }

  /** Takes a range that waits, held with `token` until it ends; `undefined` if there is none. */
  async claim(token: string, owner?: string): Promise<HeldRange | undefined> {
    for (let isAny = false; ; isAny = true) {
      const { phase, range } = await this.#store.open(isAny);
      if (range === undefined || phase === 'done') return undefined;
      const tries = (range.tries ?? 0) + 1;
      if (tries > CLAIMS.most) {
        const now: RangeRecord = { ...waiting(range), state: 'failed', isHopeless: true };
        await this.#store.swap(phase, [{ was: range, now }]);
        continue;
      }
      const now: RangeRecord = {
        ...waiting(range),
        state: 'held',
        token,
        tries,
        ...defined({ owner }),
      };
      const isMade = await this.#store.swap(phase, [{ was: range, now }]);
      // Made, and its response was lost: then it is there.
      const held = isMade ? now : (await this.#store.find(range.after)).range;
      if (held?.token === token) return heldRange(this.#store, phase, held, tries > CLAIMS.careful);
    }
  }

  /** A range whose holder has lost it waits again. `false` if it has changed since it was read. */
  free(phase: Phase, range: RangeRecord): Promise<boolean> {
    return this.#store.swap(phase, [{ was: range, now: waiting(range) }]);
  }

  /** Another attempt: ranges that failed wait again, unless it is hopeless. `false` if there is none. */
  async reopen(): Promise<boolean> {
    const { phase, ranges } = await this.#store.read();
    const failed = ranges.filter((range) => range.state === 'failed' && range.isHopeless !== true);
    const changes = failed.map((was) => {
      const { tries: _, ...now } = waiting(was);
      return { was, now };
    });
    return changes.length > 0 && this.#store.swap(phase, changes);
  }

  /** Ends a held range at `point` for an idle slot. `undefined` if its holder is beyond, or another one has it. */
  async cut(phase: Phase, range: RangeRecord, point: string): Promise<ReturnType<typeof cutAt>> {
    for (let was = range; ; ) {
      const parts = cutAt(was, point);
      if (parts === undefined) return undefined;
      const [first, rest] = parts;
      if (await this.#store.swap(phase, [{ was, now: first }, { now: rest }])) return parts;
      const now = await this.#store.find(range.after);
      if (now.phase !== phase || now.range === undefined || now.range.token !== range.token)
        return undefined;
      was = now.range;
    }
  }

  /** The next phase begins, if it may: every range is done. Ranges with extra files wait again. */
  async nextPhase(deletes: boolean): Promise<boolean> {
    const record = await this.#store.read();
    const next = phaseAfter(record, deletes);
    if (next === undefined) return false;
    const changes = next.again.map((was) => ({ was, now: { ...was, state: 'open' as const } }));
    return this.#store.swap(record.phase, changes, next.phase);
  }

  /**
   * Finished neighbours become one range, so that the ledger stays small.
   *
   * @param record as it was read; what has changed since is left
   */
  async join({ phase, ranges }: LedgerRecord): Promise<void> {
    for (let at = 0; at + 1 < ranges.length; at++) {
      const one = ranges[at];
      const members = [one];
      let whole = one;
      for (;;) {
        const next = ranges[at + members.length];
        const both = joined(whole, next, phase);
        if (both === undefined) break;
        whole = both;
        members.push(next);
      }
      if (members.length === 1 || one === undefined || whole === undefined) continue;
      const gone = members.slice(1).map((was): RangeChange => (was === undefined ? {} : { was }));
      await this.#store.swap(phase, [{ was: one, now: whole }, ...gone]);
      at += members.length - 1;
    }
  }
}

/** A range that its holder works on. It ends earlier after a cut, by anybody. */
export type HeldRange = ReturnType<typeof heldRange>;

/**
 * @param stored the range as the claim has stored it
 * @param isCareful earlier holders have not ended it: this one takes little at once
 */
function heldRange(store: RangeStore, phase: Phase, stored: RangeRecord, isCareful: boolean) {
  const { after, token } = stored;
  let record = stored;
  /** One change after the other: each rests on the one before. */
  let turn: Promise<unknown> = Promise.resolve();
  const change = <No extends string>(
    no: No,
    changed: (range: RangeRecord) => readonly [RangeChange, ...RangeChange[]] | undefined,
  ): Promise<true | No | 'lost'> => {
    const made = turn.then(async () => {
      for (;;) {
        if (record.token !== token || record.state !== 'held') return 'lost';
        const changes = changed(record);
        if (changes === undefined) return no;
        if (await store.swap(phase, changes)) {
          record = changes[0].now ?? record;
          return true;
        }
        const now = await store.find(after);
        if (now.phase !== phase || now.range === undefined || now.range.token !== token)
          return 'lost';
        record = now.range;
      }
    });
    turn = made.catch(() => {});
    return made;
  };
  const isChanged = async (changed: Parameters<typeof change>[1]) =>
    (await change('refused', changed)) === true;
  /** The next range, if it is done as well, becomes a part of it: the ledger stays small. */
  const join = async () => {
    if (record.last === undefined) return;
    const { phase: now, range: next } = await store.find(record.last);
    const whole = joined(record, next, now);
    if (next === undefined || whole === undefined) return;
    if (await store.swap(now, [{ was: record, now: whole }, { was: next }])) record = whole;
  };
  return {
    phase,
    after,
    isCareful,
    /** The last name of it, as far as this holder knows; absent: the last of all. */
    get last() {
      return record.last;
    },
    get record() {
      return record;
    },
    /**
     * Before its holder works on names. `ended`: a cut was faster, the range ends before the last of them. `lost`: another
     * holder has the range by now.
     *
     * @param isListed the last page of the source has come
     */
    async reach(span: NameSpan, isListed: boolean) {
      const { first, last: name } = span;
      const made = await change('ended', (range) => {
        if (range.last !== undefined && compareNames(name, range.last) > 0) return undefined;
        const { seen = first, reached, batches = 0 } = range;
        const isFurther = reached === undefined || compareNames(name, reached) > 0;
        const end = isFurther ? name : reached;
        const { points: _, isSlow: __, ...rest } = range;
        const points = pointsBefore(range.last, span.points);
        const now = {
          ...rest,
          seen,
          reached: end,
          batches: batches + 1,
          isListed: isListed || range.isListed === true,
          ...(points.length === 0 ? {} : { points }),
          ...(span.isSlow ? { isSlow: true } : {}),
        };
        return [{ was: range, now }];
      });
      return made === true ? 'reached' : made;
    },
    /** Ends it at `point`; the rest waits for another holder. `false` if its holder is beyond, or it is lost. */
    cut: (point: string) =>
      isChanged((range) => {
        const parts = cutAt(range, point);
        return parts && [{ was: range, now: parts[0] }, { now: parts[1] }];
      }),
    /** It is done. `false` if it is lost: the result came too late. */
    async done({ files, extra, ...others }: RangeCounts) {
      const isDone = await isChanged((range) => {
        const { tries: _, ...rest } = waiting(range);
        const counted = { ...rest, files, extra, ...storedCounts(others) };
        return [{ was: range, now: { ...counted, state: 'done' } }];
      });
      if (isDone) await join();
      return isDone;
    },
    /** It could not be done: it waits for another attempt of the run. */
    fail: () => isChanged((range) => [{ was: range, now: { ...waiting(range), state: 'failed' } }]),
    /** Its holder ends in order: another one may take it at once. */
    release: () =>
      isChanged((range) => {
        const { tries = 1, ...rest } = waiting(range);
        return [{ was: range, now: tries > 1 ? { ...rest, tries: tries - 1 } : rest }];
      }),
  };
}
