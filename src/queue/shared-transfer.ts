import type { Redis } from 'ioredis';
import { type SharedTransfer, SMALL_TRANSFER } from '../engine/run-limits.ts';
import type { Persistent } from './persistent.ts';
import type { QueueLimits } from './run-spec.ts';

/** What `--max-transfer` of a run is kept with. */
export interface SharedTransferOptions {
  readonly redis: Pick<Redis, 'eval' | 'hincrby'>;
  readonly persist: Persistent;
  /** A hash of the run: `syncer:{7K3F}:limit:transfer`. */
  readonly key: string;
  /** Called before the answer that the limit is reached. */
  onReached(): Promise<void>;
}

/**
 * As `createTransferLimit` of one process: `begun` are bytes of files that were started, `through` of those that are
 * copied, and of small files that were started. ARGV: bytes, limit, mode, the size of small files.
 */
const TAKE = `
local bytes, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local begun = tonumber(redis.call('HGET', KEYS[1], 'begun') or '0')
local through = tonumber(redis.call('HGET', KEYS[1], 'through') or '0')
local fits = begun + bytes <= most
if ARGV[3] == 'soft' then fits = through < most end
if ARGV[3] == 'cautious' then fits = begun + bytes < most end
if not fits then return 0 end
redis.call('HINCRBY', KEYS[1], 'begun', ARGV[1])
if bytes <= tonumber(ARGV[4]) then redis.call('HINCRBY', KEYS[1], 'through', ARGV[1]) end
redis.call('EXPIRE', KEYS[1], 604800)
return 1`;

/**
 * `--max-transfer` for all workers of a run together; `undefined` without one. What a lost worker had started, or a
 * response that was lost, stays counted: less is transferred than allowed, and never more.
 */
export function sharedTransfer(
  { maxTransfer, cutoffMode = 'hard' }: Pick<QueueLimits, 'maxTransfer' | 'cutoffMode'>,
  { redis, persist, key, onReached }: SharedTransferOptions,
): SharedTransfer | undefined {
  if (maxTransfer === undefined) return undefined;
  const add = (bytes: number, ...fields: readonly string[]) => {
    for (const field of fields) {
      void persist(() => redis.hincrby(key, field, bytes)).catch(() => {});
    }
  };
  return {
    async take(bytes) {
      const words = [bytes, maxTransfer, cutoffMode, SMALL_TRANSFER];
      const may = (await persist(() => redis.eval(TAKE, 1, key, ...words))) === 1;
      if (!may) await onReached();
      return may;
    },
    through: (bytes) => add(bytes, 'through'),
    came: (bytes) => add(bytes, 'begun', 'through'),
  };
}
