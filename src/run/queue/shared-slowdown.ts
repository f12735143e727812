import { TokenBucket } from '../../core/token-bucket.ts';
import type { SharedLimitOptions } from './shared-limit.ts';

/**
 * Notes the requests a second of a worker, and returns the limit of all workers, or -1, and the number of workers. A
 * server that asks to slow down halves what all of them sent, at most once a second; then it rises by 5 % of that a
 * second, until it is twice as high, when there is no limit any more.
 */
const NOTE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[2], 60000)
local all = redis.call('HGETALL', KEYS[2])
local sum, workers = 0, 0
for i = 1, #all, 2 do
  local rate, at = string.match(all[i + 1], '^(%S+) (%S+)$')
  if now - tonumber(at) < 5000 then
    sum = sum + tonumber(rate)
    workers = workers + 1
  else
    redis.call('HDEL', KEYS[2], all[i])
  end
end
local known = redis.call('HMGET', KEYS[1], 'at', 'limit', 'before')
local at, before, limit = tonumber(known[1] or ''), tonumber(known[3] or ''), -1
if at then limit = tonumber(known[2]) + before * 0.05 * (now - at) / 1000 end
if ARGV[3] == '1' and (not at or now - at >= 1000) then
  before = math.max(2, sum)
  if limit > 0 and limit < before then before = math.max(2, limit) end
  limit = before / 2
  redis.call('HSET', KEYS[1], 'at', string.format('%.0f', now), 'limit', limit, 'before', before)
  redis.call('PEXPIRE', KEYS[1], 60000)
elseif at and limit > before * 2 then
  redis.call('DEL', KEYS[1])
  limit = -1
end
return { tostring(limit), workers }`;

/**
 * What 503 and 429 of a server lower for all workers of a run: a limit of requests a second, of which each worker has
 * an equal share. While the queue is away, the last share stays.
 */
export class SharedSlowdown {
  readonly #options: Omit<SharedLimitOptions, 'rate'>;
  readonly #bucket: TokenBucket;
  #requests = 0;
  #countedSince: number;
  #wasThrottled = false;
  #limit: number | undefined;

  constructor(options: Omit<SharedLimitOptions, 'rate'>) {
    const { clock } = options;
    this.#options = options;
    this.#countedSince = clock.monotonic();
    this.#bucket = new TokenBucket({ rate: Number.POSITIVE_INFINITY, burst: 1, clock });
  }

  /** The limit of all workers, in requests a second; `undefined`: none. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** Resolves when a request may be sent. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<void> {
    this.#requests++;
    if (this.#limit !== undefined) await this.#bucket.take(1, signal);
  }

  /** A server has asked to slow down. */
  throttled(): void {
    this.#wasThrottled = true;
  }

  /** Exchanges with the other workers; to be called every second. Rejects with the queue's error, which changes nothing. */
  async exchange(): Promise<void> {
    const { redis, key, worker, clock } = this.#options;
    const now = clock.monotonic();
    const seconds = Math.max(0.001, (now - this.#countedSince) / 1000);
    const rate = this.#requests / seconds;
    const wasThrottled = this.#wasThrottled;
    const response = await redis.eval(
      ...([NOTE, 2, key, `${key}:workers`, worker, rate, wasThrottled ? '1' : '0'] as const),
    );
    const [limit, workers] = response as [limit: string, workers: number];
    [this.#requests, this.#countedSince] = [0, now];
    if (wasThrottled) this.#wasThrottled = false;
    this.#limit = Number(limit) < 0 ? undefined : Number(limit);
    const share = (this.#limit ?? Number.POSITIVE_INFINITY) / Math.max(1, workers);
    this.#bucket.setRate(share, Math.max(1, Math.min(share, Number.MAX_SAFE_INTEGER) * 0.25));
  }
}
