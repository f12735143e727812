import { defined } from '../../core/defined.ts';
import { compareNames } from '../../core/name-order.ts';
import type { NameSpan } from '../../engine/in-range.ts';
import {
  cutAt,
  joined,
  type LedgerRecord,
  type Phase,
  phaseAfter,
  pointsBefore,
  type RangeChange,
  type RangeCounts,
  type RangeRecord,
  type RangeStore,
  storedCounts,
  waiting,
} from './range-record.ts';

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
