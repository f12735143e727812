import type { Redis } from 'ioredis';
import type { Clock } from '../../core/context.ts';
import { Takers, TokenBucket } from '../../core/token-bucket.ts';

/** What a shared limit is made with. */
export interface SharedLimitOptions {
  readonly redis: Pick<Redis, 'eval'>;
  /** Of the run and what is limited: `syncer:{7K3F}:limit:upload`. */
  readonly key: string;
  /** The name of this worker in the run. */
  readonly worker: string;
  /** Bytes or requests a second, of all workers together. */
  readonly rate: number;
  readonly clock: Clock;
}

/** How much time's worth a worker takes from the queue at once, in seconds. */
const GRANT_SECONDS = 0.25;

/** What was granted and not used for so long is lost, so that nothing gathers, in milliseconds. */
const UNUSED_MS = 1_000;

/** A queue without a response for so long is away, and is asked again after this time, in milliseconds. */
const [AWAY_MS, ASK_AGAIN_MS] = [500, 1_000];

/**
 * The generic cell rate algorithm, as a reservation: what is taken begins when what others took before is used up.
 * Returns how long to wait in microseconds, and how many workers have asked within 15 seconds.
 */
const RESERVE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local free = tonumber(redis.call('GET', KEYS[1]) or '0')
if free < now then free = now end
local after = free + math.ceil(ARGV[1] * 1000000 / ARGV[2])
local keep = math.ceil((after - now) / 1000) + 60000
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', string.format('%.0f', keep))
redis.call('ZADD', KEYS[2], string.format('%.0f', now), ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - 15000000))
redis.call('PEXPIRE', KEYS[2], 60000)
return { free - now, redis.call('ZCARD', KEYS[2]) }`;

/**
 * A limit that holds for all workers of a run together. Each takes from the queue about what it uses in a quarter of a
 * second. While the queue is away, a worker keeps its last share, the limit divided by the workers there were;
 * if it never had one, it waits.
 */
export class SharedLimit {
  readonly #options: SharedLimitOptions;
  readonly #takers = new Takers();
  readonly #alone: TokenBucket;
  #rate: number;
  #workers = 0;
  #granted = 0;
  #grantedAt = 0;
  #used = 0;
  #usedSince: number;
  #usedPerSecond = 0;
  #isPumping = false;
  #unansweredAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<unknown> | undefined;

  constructor(options: SharedLimitOptions) {
    const { rate, clock } = options;
    this.#options = options;
    this.#rate = rate;
    this.#usedSince = clock.monotonic();
    this.#alone = new TokenBucket({ rate: 1, burst: 1, clock, empty: true });
  }

  /** The limit of all workers from now on, a second. */
  setRate(rate: number): void {
    this.#rate = rate;
  }

  /** Resolves when `amount` may be used, in the order of the calls. Rejects with the signal's reason. */
  take(amount: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const taken = this.#takers.wait(amount, signal);
    if (!this.#isPumping) void this.#pump();
    return taken;
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    const { clock } = this.#options;
    for (let { first } = this.#takers; first !== undefined; first = this.#takers.first) {
      if (clock.monotonic() - this.#grantedAt > UNUSED_MS) this.#granted = 0;
      if (this.#granted < first) await this.#more(first - this.#granted);
      else {
        this.#granted -= first;
        this.#used += first;
        this.#takers.passFirst();
      }
    }
    this.#isPumping = false;
  }

  /** Waits for more: at least a bit of what is missing. */
  async #more(missing: number): Promise<void> {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const seconds = (now - this.#usedSince) / 1000;
    if (seconds >= 1) {
      this.#usedPerSecond = this.#used / seconds;
      [this.#used, this.#usedSince] = [0, now];
    }
    const most = Math.max(1, this.#rate * GRANT_SECONDS);
    const waiting = this.#takers.total - this.#granted;
    const usual = this.#usedPerSecond * GRANT_SECONDS;
    const amount = Math.min(most, Math.max(missing, Math.min(waiting, most), usual));
    const delayMs = await this.#reserve(amount);
    if (delayMs !== undefined) await clock.sleep(delayMs);
    else if (this.#workers === 0) return clock.sleep(ASK_AGAIN_MS / 4);
    else {
      const share = this.#rate / this.#workers;
      this.#alone.setRate(share, Math.max(1, share * GRANT_SECONDS));
      await this.#alone.take(amount, new AbortController().signal);
    }
    this.#granted += amount;
    this.#grantedAt = clock.monotonic();
  }

  /** How long to wait until `amount` may be used, in milliseconds; `undefined` if the queue is away. */
  async #reserve(amount: number): Promise<number | undefined> {
    const { redis, key, worker, clock } = this.#options;
    const isAway = clock.monotonic() - this.#unansweredAt < ASK_AGAIN_MS;
    if (isAway || this.#asking !== undefined) return undefined;
    const asking = redis
      .eval(RESERVE, 2, key, `${key}:workers`, amount, this.#rate, worker)
      .then((response) => response as [microseconds: number, workers: number])
      .catch(() => undefined)
      .finally(() => {
        this.#asking = undefined;
      });
    this.#asking = asking;
    const response = await Promise.race([asking, clock.sleep(AWAY_MS)]);
    if (!response) {
      this.#unansweredAt = clock.monotonic();
      // What gathers while the queue answers would be used twice.
      this.#alone.empty();
      return undefined;
    }
    this.#workers = response[1];
    return response[0] / 1000;
  }
}
