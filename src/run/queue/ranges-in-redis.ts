import type { ChainableCommander, Redis } from 'ioredis';
import {
  inOrder,
  isPhase,
  isRangeRecord,
  type LedgerRecord,
  type Phase,
  type RangeChange,
  type RangeRecord,
  type RangeStore,
  rangeKey,
} from '../ranges/range-record.ts';
import { lostRun, type Persistent } from './queue-error.ts';
import { damagedEntry, queueEntry, runKey } from './queue-run.ts';

/**
 * All changes or none: the phase and each range must be what the caller believes.
 * KEYS: the run, its ranges. ARGV: the phase, the next one, and for each range its key, what it is and what it becomes;
 * an empty text stands for none.
 */
const SWAP = `
if redis.call('HGET', KEYS[1], 'phase') ~= ARGV[1] then return 0 end
for i = 3, #ARGV, 3 do
  if (redis.call('HGET', KEYS[2], ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
end
for i = 3, #ARGV, 3 do
  if ARGV[i + 2] == '' then redis.call('HDEL', KEYS[2], ARGV[i])
  else redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2]) end
end
if ARGV[1] ~= ARGV[2] then redis.call('HSET', KEYS[1], 'phase', ARGV[2]) end
return 1`;

/** The ledger of a run in Redis, shared by all its workers. Rejects with `lostRun` if the server has lost the run. */
export class RangesInRedis implements RangeStore {
  readonly #redis: Redis;
  readonly #run: string;
  readonly #persist: Persistent;
  /** The text of each record as it is stored. */
  readonly #texts = new WeakMap<RangeRecord, string>();

  constructor(redis: Redis, run: string, persist: Persistent) {
    this.#redis = redis;
    this.#run = run;
    this.#persist = persist;
  }

  async read(): Promise<LedgerRecord> {
    const { state, ranges } = this.#keys();
    const [phase, texts] = await this.#persist(async () => {
      const answers = await this.#redis.multi().hget(state, 'phase').hgetall(ranges).exec();
      const [found, all] = answersOf(answers) as [string | null, Record<string, string>];
      return [found, Object.entries(all)] as const;
    });
    const found = texts.map(([key, text]) => this.#parse(key, text));
    return { phase: this.#phaseOf(phase), ranges: inOrder(found) };
  }

  async find(after: string | undefined) {
    const { state, ranges } = this.#keys();
    const key = rangeKey(after);
    const [phase, text] = await this.#persist(async () => {
      const answers = await this.#redis.multi().hget(state, 'phase').hget(ranges, key).exec();
      return answersOf(answers) as [string | null, string | null];
    });
    const range = text === null ? undefined : this.#parse(key, text);
    return { phase: this.#phaseOf(phase), range };
  }

  async swap(phase: Phase, changes: readonly RangeChange[], next = phase): Promise<boolean> {
    const { state, ranges } = this.#keys();
    const words = changes.flatMap(({ was, now }) => [
      rangeKey((was ?? now)?.after),
      this.#textOf(was),
      this.#textOf(now),
    ]);
    const made = await this.#persist(() =>
      this.#redis.eval(SWAP, 2, state, ranges, phase, next, ...words),
    );
    return made === 1;
  }

  #keys() {
    return { state: runKey(this.#run, 'run'), ranges: runKey(this.#run, 'ranges') };
  }

  #phaseOf(phase: string | null): Phase {
    if (phase === null) throw lostRun(this.#run);
    if (!isPhase(phase)) throw damagedEntry(this.#keys().state);
    return phase;
  }

  #parse(key: string, text: string): RangeRecord {
    const { ranges } = this.#keys();
    const range = queueEntry<RangeRecord>(text, ranges);
    if (!isRangeRecord(range) || rangeKey(range.after) !== key) throw damagedEntry(ranges);
    this.#texts.set(range, text);
    return range;
  }

  #textOf(range: RangeRecord | undefined): string {
    if (range === undefined) return '';
    const text = this.#texts.get(range) ?? JSON.stringify(range);
    this.#texts.set(range, text);
    return text;
  }
}

/** What the commands of a transaction have returned. Throws the error of one of them, which the transaction does not. */
function answersOf(answers: Awaited<ReturnType<ChainableCommander['exec']>>): unknown[] {
  return (answers ?? []).map(([error, answer]) => {
    if (error !== null) throw error;
    return answer;
  });
}
