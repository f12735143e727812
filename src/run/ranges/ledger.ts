import { HeldRange } from './held-range.ts';
import {
  cutAt,
  joined,
  type LedgerRecord,
  type Phase,
  phaseAfter,
  type RangeRecord,
  waiting,
} from './range-record.ts';
import type { RangeChange, RangeStore } from './range-store.ts';

/** Claims of a range that did not end before its holder works page by page, and before it is given up. */
export const CLAIMS = { careful: 3, most: 5 } as const;

/** Which range is claimed; absent: the first that waits. */
export interface WantedRange {
  /** Absent: in any. */
  readonly phase?: Phase;
  readonly after: string | undefined;
  /** Its holder has lost it: the queue has given it to another one. */
  readonly isLost: boolean;
}

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

  /** Takes a range, held with `token` until it ends; `undefined` if there is none. */
  async claim(
    token: string,
    owner: string | undefined,
    wanted?: WantedRange,
  ): Promise<HeldRange | undefined> {
    for (;;) {
      const found = await this.#open(wanted);
      if (found === undefined) return undefined;
      const { phase, range } = found;
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
        ...(owner === undefined ? {} : { owner }),
      };
      if (await this.#store.swap(phase, [{ was: range, now }]))
        return new HeldRange(this.#store, phase, now, tries > CLAIMS.careful);
    }
  }

  async #open(wanted: WantedRange | undefined) {
    if (wanted !== undefined) {
      const { phase, range } = await this.#store.find(wanted.after);
      const isFree = range?.state === 'open' || (wanted.isLost && range?.state === 'held');
      const isNow = phase !== 'done' && (wanted.phase ?? phase) === phase;
      return range !== undefined && isFree && isNow ? { phase, range } : undefined;
    }
    const { phase, ranges } = await this.#store.read();
    const range = ranges.find(({ state }) => state === 'open');
    return range === undefined || phase === 'done' ? undefined : { phase, range };
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
