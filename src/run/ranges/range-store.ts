import {
  inOrder,
  type LedgerRecord,
  NEW_RANGE,
  type Phase,
  type RangeRecord,
} from './range-record.ts';

/** A change of one range: what it is now, and what it becomes. At least one of both is there. */
export interface RangeChange {
  /** Absent: there is no such range yet. */
  readonly was?: RangeRecord;
  /** Absent: it ends to exist. */
  readonly now?: RangeRecord;
}

/** Where a ledger is kept. All decisions are made by the ledger; a store only changes nothing that has changed. */
export interface RangeStore {
  read(): Promise<LedgerRecord>;
  /** The range that begins behind `after`, and the phase. */
  find(
    after: string | undefined,
  ): Promise<{ readonly phase: Phase; readonly range: RangeRecord | undefined }>;
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
