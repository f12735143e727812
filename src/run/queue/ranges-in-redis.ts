import type { ChainableCommander, Redis } from 'ioredis';
import {
  inOrder,
  isPhase,
  isRangeRecord,
  type RangeRecord,
  type RangeStore,
  rangeKey,
} from '../ranges/ledger.ts';
import { LEASE } from './lease-watch.ts';
import { lostRun, type Persistent } from './queue-error.ts';
import { damagedEntry, leaseKey, queueEntry, runKey } from './queue-run.ts';

/**
 * All changes or none: the phase and each range must be what the caller believes. A range that is claimed has a lease from
 * then on, and only then: one that has run out never comes back.
 * KEYS: the run, its ranges, the lease. ARGV: the phase, the next one, how long the lease lasts, and for each range its
 * key, what it is and what it becomes; an empty text stands for none.
 */
const SWAP = `
if redis.call('HGET', KEYS[1], 'phase') ~= ARGV[1] then return 0 end
for i = 4, #ARGV, 3 do
  if (redis.call('HGET', KEYS[2], ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
end
for i = 4, #ARGV, 3 do
  if ARGV[i + 2] == '' then redis.call('HDEL', KEYS[2], ARGV[i])
  else redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2]) end
end
if ARGV[1] ~= ARGV[2] then redis.call('HSET', KEYS[1], 'phase', ARGV[2]) end
if ARGV[3] ~= '' then redis.call('SET', KEYS[3], '', 'PX', ARGV[3]) end
return 1`;

/**
 * The phase, and one of the ranges that wait with its key.
 * KEYS: the run, its ranges. ARGV: which, as a number from 0 to 1; an empty text stands for the first.
 */
const OPEN = `
local first, open = nil, {}
local all = redis.call('HGETALL', KEYS[2])
for i = 1, #all, 2 do
  if string.find(all[i + 1], '"state"%s*:%s*"open"') then
    open[#open + 1] = i
    if not first or all[i] < all[first] then first = i end
  end
end
local i = first
if ARGV[1] ~= '' then i = open[1 + math.floor(ARGV[1] * #open)] end
return { redis.call('HGET', KEYS[1], 'phase'), i and all[i], i and all[i + 1] }`;

/** The ledger of a run in Redis, shared by all its workers. Rejects with `lostRun` if the server has lost the run. */
export function rangesInRedis(redis: Redis, run: string, persist: Persistent): RangeStore {
  const [stateKey, rangesKey] = [runKey(run, 'run'), runKey(run, 'ranges')];
  /** The text of each record as it is stored. */
  const texts = new WeakMap<RangeRecord, string>();
  const phaseOf = (phase: string | null) => {
    if (phase === null) throw lostRun(run);
    if (!isPhase(phase)) throw damagedEntry(stateKey);
    return phase;
  };
  const parse = (key: string, text: string) => {
    const range = queueEntry<RangeRecord>(text, rangesKey);
    if (!isRangeRecord(range) || rangeKey(range.after) !== key) throw damagedEntry(rangesKey);
    texts.set(range, text);
    return range;
  };
  const textOf = (range: RangeRecord | undefined) => {
    if (range === undefined) return '';
    const text = texts.get(range) ?? JSON.stringify(range);
    texts.set(range, text);
    return text;
  };
  /** The phase, and what another command of the same transaction returns. Throws the error of one of both. */
  const withPhase = <T>(command: (both: ChainableCommander) => ChainableCommander) =>
    persist(async () => {
      const answers = await command(redis.multi().hget(stateKey, 'phase')).exec();
      return (answers ?? []).map(([error, answer]) => {
        if (error !== null) throw error;
        return answer;
      }) as unknown as [string | null, T];
    });
  return {
    async read() {
      const [phase, all] = await withPhase<Record<string, string>>((both) =>
        both.hgetall(rangesKey),
      );
      const ranges = Object.entries(all).map(([key, text]) => parse(key, text));
      return { phase: phaseOf(phase), ranges: inOrder(ranges) };
    },
    async find(after) {
      const key = rangeKey(after);
      const [phase, text] = await withPhase<string | null>((both) => both.hget(rangesKey, key));
      return { phase: phaseOf(phase), range: text === null ? undefined : parse(key, text) };
    },
    async open(isAny) {
      const which = isAny ? String(Math.random()) : '';
      const answer = await persist(() => redis.eval(OPEN, 2, stateKey, rangesKey, which));
      const [phase, key, text] = answer as [phase: string | null, key?: string, text?: string];
      const range = key == null || text == null ? undefined : parse(key, text);
      return { phase: phaseOf(phase), range };
    },
    async swap(phase, changes, next = phase) {
      const claimed = changes.find(({ was, now }) => now?.token && now.token !== was?.token);
      const lease = leaseKey(run, claimed?.now?.token);
      const leaseMs = claimed === undefined ? '' : String(LEASE.ms);
      const words = changes.flatMap(({ was, now }) => [
        rangeKey((was ?? now)?.after),
        textOf(was),
        textOf(now),
      ]);
      const made = await persist(() =>
        redis.eval(SWAP, 3, stateKey, rangesKey, lease, phase, next, leaseMs, ...words),
      );
      return made === 1;
    },
  };
}
