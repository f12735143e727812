import { compareNames } from '../../core/name-order.ts';
import type { NameSpan } from '../../engine/listed-range.ts';
import {
  cutAt,
  joined,
  type Phase,
  pointsBefore,
  type RangeCounts,
  type RangeRecord,
  storedCounts,
  waiting,
} from './range-record.ts';
import type { RangeChange, RangeStore } from './range-store.ts';

/** A range that its holder works on. It ends earlier after a cut, by anybody. */
export class HeldRange {
  readonly phase: Phase;
  readonly after: string | undefined;
  /** Earlier holders have not ended it: this one takes little at once. */
  readonly isCareful: boolean;
  readonly #store: RangeStore;
  readonly #token: string | undefined;
  #record: RangeRecord;
  /** One change after the other: each rests on the one before. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param record the range as the claim has stored it */
  constructor(store: RangeStore, phase: Phase, record: RangeRecord, isCareful: boolean) {
    this.#store = store;
    this.#record = record;
    this.#token = record.token;
    this.phase = phase;
    this.after = record.after;
    this.isCareful = isCareful;
  }

  /** The last name of it, as far as this holder knows; absent: the last of all. */
  get last(): string | undefined {
    return this.#record.last;
  }

  get record(): RangeRecord {
    return this.#record;
  }

  /**
   * Before its holder works on names. `ended`: a cut was faster, the range ends before the last of them. `lost`: another holder has the range by now.
   *
   * @param isListed the last page of the source has come
   */
  reach(span: NameSpan, isListed: boolean): Promise<'reached' | 'ended' | 'lost'> {
    const { first, last: name } = span;
    return this.#change('ended', (range) => {
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
    }).then((made) => (made === true ? 'reached' : made));
  }

  /** Ends it at `point`; the rest waits for another holder. `false` if its holder is beyond, or it is lost. */
  async cut(point: string): Promise<boolean> {
    const made = await this.#change('refused', (range) => {
      const parts = cutAt(range, point);
      if (parts === undefined) return undefined;
      const [first, rest] = parts;
      return [{ was: range, now: first }, { now: rest }];
    });
    return made === true;
  }

  /** It is done. `false` if it is lost: the result came too late. */
  async done({ files, extra, ...others }: RangeCounts): Promise<boolean> {
    const made = await this.#change('refused', (range) => {
      const { tries: _, ...rest } = waiting(range);
      const counted = { ...rest, files, extra, ...storedCounts(others) };
      return [{ was: range, now: { ...counted, state: 'done' } }];
    });
    if (made !== true) return false;
    await this.#join();
    return true;
  }

  /** It could not be done: it waits for another attempt of the run. */
  async fail(): Promise<boolean> {
    const made = await this.#change('refused', (range) => [
      { was: range, now: { ...waiting(range), state: 'failed' } },
    ]);
    return made === true;
  }

  /** Its holder ends in order: another one may take it at once. */
  async release(): Promise<boolean> {
    const made = await this.#change('refused', (range) => {
      const { tries = 1, ...rest } = waiting(range);
      return [{ was: range, now: tries > 1 ? { ...rest, tries: tries - 1 } : rest }];
    });
    return made === true;
  }

  /** The next range, if it is done as well, becomes a part of it: the ledger stays small. */
  async #join(): Promise<void> {
    const { last } = this.#record;
    if (last === undefined) return;
    const { phase, range: next } = await this.#store.find(last);
    const whole = joined(this.#record, next, phase);
    if (next === undefined || whole === undefined) return;
    const changes: RangeChange[] = [{ was: this.#record, now: whole }, { was: next }];
    if (await this.#store.swap(phase, changes)) this.#record = whole;
  }

  #change<No extends string>(
    no: No,
    changed: (range: RangeRecord) => readonly [RangeChange, ...RangeChange[]] | undefined,
  ): Promise<true | No | 'lost'> {
    const made = this.#turn.then(async () => {
      for (;;) {
        if (this.#record.token !== this.#token || this.#record.state !== 'held') return 'lost';
        const changes = changed(this.#record);
        if (changes === undefined) return no;
        if (await this.#store.swap(this.phase, changes)) {
          this.#record = changes[0].now ?? this.#record;
          return true;
        }
        const { phase, range } = await this.#store.find(this.after);
        if (phase !== this.phase || range === undefined || range.token !== this.#token)
          return 'lost';
        this.#record = range;
      }
    });
    this.#turn = made.catch(() => {});
    return made;
  }
}
