import { type Clock, type Context, linkedAbort } from '../../core/context.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import { TokenBucket } from '../../core/token-bucket.ts';
import { bandwidthAt, parseBandwidth } from '../../engine/bandwidth-timetable.ts';
import type { Bandwidth, RunSetup, Throttle } from '../../engine/run.ts';
import { type SharedTransfer, SMALL_TRANSFER } from '../../engine/run-limits.ts';
import type { CommandCall, Environment } from '../../shell/command-line/command.ts';
import { FLAGS } from '../../shell/flags/flag-table.ts';
import { logText } from '../../shell/log/log-text.ts';
import {
  applyEvent,
  ProgressState,
  tickRates,
  totalBytes,
  totalTransfers,
} from '../../shell/progress/progress-state.ts';
import { VERSION } from '../../shell/version.ts';
import type { RangeTask } from '../ranges/work-range.ts';
import type { QueueConnection } from './connect.ts';
import type { WatchedLease } from './lease-watch.ts';
import { persistent } from './queue-error.ts';
import {
  addQueueErrors,
  endSoftly,
  limitKey,
  MOST_ERRORS,
  queueErrorOf,
  type RunEnding,
} from './queue-run.ts';
import type { QueueLimits, RunSpec } from './run-spec.ts';
import { SharedLimit, type SharedLimitOptions } from './shared-limit.ts';
import { workRun } from './work-run.ts';

/**
 * The variable that makes a command a worker of a run: the id of the run, and the id of the worker, with a space between.
 * Set by `syncer worker` for the programs that it starts.
 */
export const JOINED_RUN = 'SYNCER_JOINED_RUN';

/** A run, and the id of this process as a worker of it. */
export interface Participation {
  readonly spec: RunSpec;
  readonly id: string;
}

/** Names of a range: some 20 pages, so that a worker that is killed loses little. */
const NAMES_A_RANGE = 20_000;

/** Works on a run as one of its workers, with the limits of all of them, until it has ended. */
export async function workInQueue(
  { flags, env }: CommandCall & Environment,
  setup: RunSetup,
  task: RangeTask,
  queue: QueueConnection,
  { spec, id }: Participation,
): Promise<RunEnding> {
  const { context } = setup;
  const by = { redis: queue.redis, run: spec.id, worker: id, context };
  const limits = runLimits(spec.limits, by);
  const leases = new Set<WatchedLease>();
  const unlimit = context.requestGate?.use(async (signal) => {
    await limits.takeRequest(signal);
    for (const lease of leases) lease.look();
    signal.throwIfAborted();
  });
  const state = new ProgressState(context.clock.monotonic());
  let differences = 0;
  const signals = [context.signal, ...(env[JOINED_RUN] === undefined ? [] : [endsWithParent()])];
  const transfer = sharedTransfer(queue, spec, context);
  const counted: RunSetup = {
    ...setup,
    ...(transfer === undefined ? {} : { sharedTransfer: transfer }),
    bandwidth: bothLimits(setup.bandwidth, limits.bandwidth),
    context: {
      ...context,
      signal: linkedAbort(...signals).signal,
      emit(event) {
        applyEvent(state, event, context.clock);
        limits.emit(event);
        if (event.type !== 'error' || !hasCode(event.error, 'differences')) return;
        // The command shows those of all workers; the ranges have their number.
        if (spec.verb !== 'check' || ++differences > MOST_ERRORS) return;
        const error = queueErrorOf(id, event.error);
        void addQueueErrors(queue.redis, spec.id, [error]).catch(() => {});
      },
    },
  };
  const rules = {
    run: spec.id,
    id,
    version: VERSION,
    slots: flags.slots,
    leases,
    namesARange: NAMES_A_RANGE,
    limits: spec.limits,
    retries: spec.verb === 'check' ? 1 : (spec.limits.retries ?? FLAGS.retries.default),
    counts() {
      tickRates(state, context.clock.monotonic());
      return {
        files: state.transfers,
        bytes: state.bytes,
        checks: state.checks,
        totalFiles: totalTransfers(state),
        totalBytes: totalBytes(state),
        deletes: state.deletedFiles,
        errors: state.errors,
        rate: state.rate,
      };
    },
    tell: (text: string) => context.emit(logText('notice', text)),
    waitsFor() {
      const lowered = limits.loweredTo();
      if (lowered === undefined) return undefined;
      return `the server throttles: ${Math.round(lowered)} requests/s for all workers`;
    },
  };
  try {
    const ending = await workRun(counted, task, queue, rules);
    // A later attempt, here or on another worker, has done what failed; the differences of a check stay.
    if (ending.how === 'finished' && spec.verb !== 'check' && state.errors > 0)
      context.emit({ type: 'retry-run' });
    return ending;
  } finally {
    unlimit?.();
    limits.end();
  }
}

/** Aborted when `syncer worker`, which has started this program, is gone. */
function endsWithParent(): AbortSignal {
  const gone = new AbortController();
  const end = () =>
    gone.abort(new SyncerError('terminated', 'the worker that started this is gone'));
  if (process.connected) process.once('disconnect', end);
  else end();
  process.channel?.unref();
  return gone.signal;
}

/** The limits of this machine (`--bwlimit-file`, `set RUN bwlimit=`), and those of the whole run. */
function bothLimits(own: Bandwidth | undefined, shared: Bandwidth | undefined) {
  if (own === undefined || shared === undefined) return own ?? shared;
  const takeBoth = async (first: Throttle, ...of: Parameters<Throttle['take']>) => {
    await first.take(...of);
    await shared.take(...of);
  };
  return {
    take: (...of: Parameters<Bandwidth['take']>) => takeBoth(own, ...of),
    isLimited: () => true,
    ofFile() {
      const file = own.ofFile?.() ?? own;
      return { take: (...of: Parameters<Bandwidth['take']>) => takeBoth(file, ...of) };
    },
  };
}

/**
 * The limits of a run at one of its workers (`worker`: its name in the run): all workers together keep them. Throws `usage`
 * for an invalid bandwidth.
 */
export function runLimits(
  limits: QueueLimits,
  by: Pick<SharedLimitOptions, 'redis' | 'worker'> & {
    readonly run: string;
    readonly context: Pick<Context, 'clock' | 'emit'>;
  },
) {
  const { redis, worker, run, context } = by;
  const shared = { redis, worker, clock: context.clock };
  const limited = (name: string, rate: number) =>
    new SharedLimit({ ...shared, key: limitKey(run, name), rate });
  const { bandwidth, requestsPerSecond: perSecond } = limits;
  const requests = perSecond === undefined ? undefined : limited('requests', perSecond);
  const slowdown = sharedSlowdown({ ...shared, key: limitKey(run, 'slow') });
  // Every second; a queue that is away changes nothing.
  const timer = setInterval(() => void slowdown.exchange().catch(() => {}), 1_000).unref();
  return {
    /** `--bwlimit`; `undefined` without one. */
    bandwidth:
      bandwidth === undefined ? undefined : sharedBandwidth(bandwidth, context.clock, limited),
    /** For `Context.requestGate`: `--tpslimit`, and what servers ask for. */
    async takeRequest(signal: AbortSignal) {
      await requests?.take(1, signal);
      await slowdown.take(signal);
    },
    /** For `Context.emit`: passes events on, and notices servers that ask to slow down. */
    emit(event: SyncerEvent) {
      if (event.type === 'wait' && event.why === 'throttled') slowdown.throttled();
      context.emit(event);
    },
    /** What servers have lowered all workers to, in requests a second; `undefined`: nothing. */
    loweredTo: () => slowdown.limit,
    /** Ends the exchange with other workers. */
    end: () => clearInterval(timer),
  };
}

/** As `--bwlimit` of one process: one rate is for all bytes, two are for uploads and downloads. */
function sharedBandwidth(
  text: string,
  clock: Pick<Clock, 'now'>,
  limited: (name: string, rate: number) => SharedLimit,
): Bandwidth {
  const timetable = parseBandwidth(text);
  const limits = new Map<string, SharedLimit>();
  const takeOf = async (name: string, rate: number | undefined, bytes: number, on: AbortSignal) => {
    if (rate === undefined) return;
    const limit = limits.get(name) ?? limited(name, rate);
    limits.set(name, limit);
    limit.setRate(rate);
    await limit.take(bytes, on);
  };
  return {
    async take(bytes, { up, down }, signal) {
      const { upload, download } = bandwidthAt(timetable, new Date(clock.now()));
      if (upload === download) return takeOf('bytes', upload, bytes, signal);
      if (up) await takeOf('upload', upload, bytes, signal);
      if (down) await takeOf('download', download, bytes, signal);
    },
    isLimited: () => true,
  };
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
 * `--max-transfer` for all workers of a run together: reached, it ends the run on all; `undefined` without one. What a
 * lost worker had started, or a response that was lost, stays counted: less is transferred than allowed, and never more.
 */
function sharedTransfer(
  { redis, address }: QueueConnection,
  { id, limits: { maxTransfer, cutoffMode = 'hard' } }: RunSpec,
  { clock, signal }: Context,
): SharedTransfer | undefined {
  if (maxTransfer === undefined) return undefined;
  const persist = persistent(address, clock, signal);
  /** A hash of the run: `syncer:{7K3F}:limit:transfer`. */
  const key = limitKey(id, 'transfer');
  const add = (bytes: number, ...fields: readonly string[]) => {
    for (const field of fields)
      void persist(() => redis.hincrby(key, field, bytes)).catch(() => {});
  };
  return {
    async take(bytes) {
      const words = [bytes, maxTransfer, cutoffMode, SMALL_TRANSFER];
      const may = (await persist(() => redis.eval(TAKE, 1, key, ...words))) === 1;
      if (!may) await persist(() => endSoftly(redis, id, 'too-much'));
      return may;
    },
    through: (bytes) => add(bytes, 'through'),
    came: (bytes) => add(bytes, 'begun', 'through'),
  };
}

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
export function sharedSlowdown({ redis, key, worker, clock }: Omit<SharedLimitOptions, 'rate'>) {
  const bucket = new TokenBucket({ rate: Number.POSITIVE_INFINITY, burst: 1, clock });
  let requests = 0;
  let countedSince = clock.monotonic();
  let isThrottled = false;
  let limit: number | undefined;
  return {
    /** The limit of all workers, in requests a second; `undefined`: none. */
    get limit() {
      return limit;
    },
    /** Resolves when a request may be sent. Rejects with the signal's reason. */
    async take(signal: AbortSignal) {
      requests++;
      if (limit !== undefined) await bucket.take(1, signal);
    },
    /** A server has asked to slow down. */
    throttled() {
      isThrottled = true;
    },
    /** Exchanges with the other workers; to be called every second. Rejects with the queue's error, which changes nothing. */
    async exchange() {
      const now = clock.monotonic();
      const seconds = Math.max(0.001, (now - countedSince) / 1000);
      const wasThrottled = isThrottled;
      const words = [worker, requests / seconds, wasThrottled ? '1' : '0'] as const;
      const response = await redis.eval(NOTE, 2, key, `${key}:workers`, ...words);
      const [least, workers] = response as [limit: string, workers: number];
      [requests, countedSince] = [0, now];
      if (wasThrottled) isThrottled = false;
      limit = Number(least) < 0 ? undefined : Number(least);
      const share = (limit ?? Number.POSITIVE_INFINITY) / Math.max(1, workers);
      bucket.setRate(share, Math.max(1, Math.min(share, Number.MAX_SAFE_INTEGER) * 0.25));
    },
  };
}
