import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import { defined } from '../../core/defined.ts';
import { type ErrorCode, SyncerError } from '../../core/errors.ts';
import { jsonObject } from '../../core/json-object.ts';
import { isPhase, NEW_RANGE, type Phase } from '../ranges/ledger.ts';
import type { QueueConnection } from './connect.ts';
import type { RunSpec } from './run-spec.ts';
import type { Signed } from './signed.ts';

/** The limits that end a run, and their flags. */
export const ENDED_BY = {
  'too-many-deletes': '--max-delete',
  'too-large-deletes': '--max-delete-size',
  'too-long': '--max-duration',
  'too-much': '--max-transfer',
} as const;

/** A limit that ends a run. */
export type ReachedLimit = keyof typeof ENDED_BY;

const ENDINGS: readonly string[] = ['finished', 'failed', 'stopped', ...Object.keys(ENDED_BY)];

export interface RunEnding {
  readonly how: 'finished' | 'failed' | 'stopped' | ReachedLimit;
  readonly atMs: number;
}

/** The state of a run besides its ranges. */
export interface QueueRunState {
  readonly phase: Phase;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  /** By the clock of the server, as `WorkerSign.atMs`. */
  readonly begunMs: number;
  /** It is to end: `soft` finishes the files that are being transferred. */
  readonly stop?: 'soft' | 'now';
  /** The limit that ends it; absent: a person. */
  readonly reached?: ReachedLimit;
  readonly ended?: RunEnding;
}

/** A worker of a run, as it describes itself once a second. */
export interface WorkerSign {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly slots: number;
  /** The time of the server, in milliseconds since the epoch: one clock for all. */
  readonly atMs: number;
  readonly counts: WorkerCounts;
  /** It has left in order. */
  readonly hasLeft?: boolean;
  /** What it waits for, in words: a store that asks to slow down. */
  readonly waitsFor?: string;
}

/**
 * What one worker has done in a run. `total…`: what was found so far, done or not; `rate`: bytes a second, lately.
 */
export type WorkerCounts = Readonly<Record<(typeof COUNTS)[number], number>>;

/** What each worker counts. */
export const COUNTS = [
  ...(['files', 'bytes', 'totalFiles', 'totalBytes', 'checks', 'deletes'] as const),
  ...(['errors', 'ranges', 'rate'] as const),
];

/** A worker without a sign for so long is believed to be lost, in milliseconds. */
const LOST_AFTER_MS = 5_000;

/** A run that has ended is kept for so long, in seconds: a week. */
const KEPT_S = 7 * 86_400;

/** Most errors of a run that are kept. */
export const MOST_ERRORS = 10_000;

/**
 * Two places overlap if one of them is among those above the other.
 * KEYS: all changed places, the run, its ranges, all runs. ARGV: id, spec, the first range, the places it changes.
 */
const BEGIN = `
local function has(places, place)
  for _, one in ipairs(places) do if one == place then return true end end
  return false
end
local function overlap(those, these)
  for _, one in ipairs(those) do
    for _, other in ipairs(these) do
      if type(one) ~= 'table' or has(other, one[1]) or has(one, other[1]) then return true end
    end
  end
  return false
end
local mine = cjson.decode(ARGV[4])
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local isRead, other = pcall(cjson.decode, all[i + 1])
  if redis.call('HEXISTS', KEYS[4], all[i]) == 0 then redis.call('HDEL', KEYS[1], all[i])
  elseif not isRead or type(other) ~= 'table' or overlap(other, mine) then return all[i] end
end
local time = redis.call('TIME')
local nowMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[4])
redis.call('HSET', KEYS[2], 'phase', 'copying', 'attempt', '1', 'begunMs', nowMs)
redis.call('HSET', KEYS[3], '', ARGV[3])
redis.call('HSET', KEYS[4], ARGV[1], ARGV[2])
return ''`;

/**
 * Enters a run, unless another one changes a place that it changes, or one in it or above. Resolves to the id of the run
 * there. `spec`: what it is to do, as text; `changes`: the identities of each place that it changes, and of all places
 * above it, or of a run that changes nothing any text that the same run has.
 */
export async function enterRun(
  redis: Redis,
  {
    id,
    spec,
    changes,
  }: Readonly<Record<'id' | 'spec', string>> & {
    readonly changes: readonly (readonly [itself: string, ...above: string[]])[];
  },
): Promise<string> {
  const keys = [CHANGES_KEY, runKey(id, 'run'), runKey(id, 'ranges'), RUNS_KEY];
  const first = JSON.stringify(NEW_RANGE);
  const places = JSON.stringify(changes);
  const other = await redis.eval(BEGIN, 4, ...keys, id, spec, first, places);
  if (String(other) !== '') return String(other);
  await sendNews(redis, undefined, 'state');
  return id;
}

/** What all runs that have not ended are to do, as text, by their ids. */
export function listRunSpecs(redis: Redis): Promise<Record<string, string>> {
  return redis.hgetall(RUNS_KEY);
}

/** What the runs that have ended within the last day were to do, as text, by their ids; the last one first. */
export async function listEndedSpecs(redis: Redis): Promise<Record<string, string>> {
  const since = (await serverTime(redis)) - LISTED_MS;
  const ids = await redis.zrevrangebyscore(ENDED_KEY, '+inf', since);
  const specs = await Promise.all(ids.map((id) => redis.hget(runKey(id, 'run'), 'spec')));
  return Object.fromEntries(
    ids.flatMap((id, at) => (specs[at] == null ? [] : [[id, specs[at]] as const])),
  );
}

/** What a run is to do, as text; `undefined` if it has ended. */
export async function readRunSpec(redis: Redis, run: string): Promise<string | undefined> {
  return (await redis.hget(RUNS_KEY, run)) ?? undefined;
}

/** `undefined` if the server does not know the run. */
export async function readRunState(redis: Redis, run: string): Promise<QueueRunState | undefined> {
  const key = runKey(run, 'run');
  const { phase, attempt, begunMs, stop, reached, ended } = await redis.hgetall(key);
  if (phase === undefined) return undefined;
  const isState =
    isPhase(phase) &&
    [attempt, begunMs].every((count) => /^\d{1,15}$/.test(count ?? '')) &&
    ['soft', 'now', undefined].includes(stop) &&
    (reached === undefined || Object.hasOwn(ENDED_BY, reached));
  const ending = ended === undefined ? undefined : queueEntry<RunEnding>(ended, key);
  const isEnding = !ending || (ENDINGS.includes(ending.how) && Number.isFinite(ending.atMs));
  if (!isState || !isEnding) throw damagedEntry(key);
  return {
    phase,
    attempt: Number(attempt),
    begunMs: Number(begunMs),
    ...defined({
      stop: stop as QueueRunState['stop'],
      reached: reached as ReachedLimit | undefined,
    }),
    ...(ending && { ended: ending }),
  };
}

/** A person wants the run to end. Its workers end it, and without any it has ended now. `false` if there is no such run. */
export async function stopQueueRun(
  redis: Redis,
  run: string,
  how: 'soft' | 'now',
): Promise<boolean> {
  if ((await redis.hexists(RUNS_KEY, run)) === 0) return false;
  await redis.hset(runKey(run, 'run'), 'stop', how);
  const hasEnded = await endWithoutWorkers(redis, run, 'stopped');
  if (!hasEnded) await sendNews(redis, run, 'state');
  return true;
}

/** Ends a run that has no worker; `false` if it has one. */
export async function endWithoutWorkers(
  redis: Redis,
  run: string,
  how: RunEnding['how'],
): Promise<boolean> {
  const { workers, nowMs: atMs } = await readWorkers(redis, run);
  if (workers.some((worker) => isAlive(worker, atMs))) return false;
  await endQueueRun(redis, run, { how, atMs });
  return true;
}

/** A limit ends a run on all its workers, which finish the files that are being transferred. */
export async function endSoftly(redis: Redis, run: string, reached: ReachedLimit): Promise<void> {
  await redis.hset(runKey(run, 'run'), { stop: 'soft', reached });
  await sendNews(redis, run, 'state');
}

/** KEYS: the run, all runs. ARGV: attempt, id. */
const NEXT_ATTEMPT = `
if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 0 end
redis.call('HINCRBY', KEYS[1], 'attempt', 1)
return 1`;

/** Begins the next attempt of a run; `false` if it has begun already. */
export async function nextAttempt(redis: Redis, run: string, attempt: number): Promise<boolean> {
  return (await redis.eval(NEXT_ATTEMPT, 1, runKey(run, 'run'), String(attempt))) === 1;
}

/** Ended runs are listed for so long, in milliseconds: a day. */
const LISTED_MS = 86_400_000;

/** KEYS: the run, all runs, ended runs. ARGV: id, ending, when, since when ended runs are listed. */
const END = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local spec = redis.call('HGET', KEYS[2], ARGV[1])
if spec then
  redis.call('HSET', KEYS[1], 'spec', spec)
  redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[4])
end
redis.call('HDEL', KEYS[2], ARGV[1])
return redis.call('HSETNX', KEYS[1], 'ended', ARGV[2])`;

/** The run has ended; the first ending counts. Its keys are kept for a week. */
export async function endQueueRun(redis: Redis, run: string, ending: RunEnding): Promise<void> {
  const keys = [runKey(run, 'run'), RUNS_KEY, ENDED_KEY];
  const since = ending.atMs - LISTED_MS;
  await redis.eval(END, 3, ...keys, run, JSON.stringify(ending), ending.atMs, since);
  await sendNews(redis, run, 'state');
  const kept = PARTS.filter((part) => part !== 'lease');
  await Promise.all(kept.map((part) => redis.expire(runKey(run, part), KEPT_S)));
}

/** Removes a run that cannot be read, with all that it keeps: workers that it still has find it lost, and end. */
export async function dropQueueRun(redis: Redis, run: string): Promise<void> {
  await redis
    .multi()
    .hdel(RUNS_KEY, run)
    .hdel(CHANGES_KEY, run)
    .zrem(ENDED_KEY, run)
    .del(PARTS.map((part) => runKey(run, part)))
    .exec();
}

/** The time of the server, in milliseconds since the epoch. */
async function serverTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

/** Writes what a worker says about itself, with the time of the server. */
export async function signWorker(
  redis: Redis,
  run: string,
  sign: Omit<WorkerSign, 'atMs'>,
): Promise<void> {
  const text = JSON.stringify({ ...sign, atMs: await serverTime(redis) });
  await redis.hset(runKey(run, 'workers'), sign.id, text);
}

/** All workers that have been part of a run, and the time of the server. */
export async function readWorkers(
  redis: Redis,
  run: string,
): Promise<{ readonly workers: readonly WorkerSign[]; readonly nowMs: number }> {
  const key = runKey(run, 'workers');
  const [signs, nowMs] = await Promise.all([redis.hvals(key), serverTime(redis)]);
  return { workers: signs.map((text) => signOf(text, key)), nowMs };
}

function signOf(text: string, key: string): WorkerSign {
  const sign = queueEntry<WorkerSign>(text, key);
  const { id, host, pid, slots, atMs, counts } = sign;
  const isSign =
    [id, host].every((part) => typeof part === 'string') &&
    [pid, slots, atMs, ...COUNTS.map((of) => counts?.[of])].every(Number.isFinite);
  if (!isSign) throw damagedEntry(key);
  return sign;
}

/** Whether a worker has given a sign lately. */
export const isAlive = ({ atMs, hasLeft }: WorkerSign, nowMs: number): boolean =>
  hasLeft !== true && nowMs - atMs < LOST_AFTER_MS;

/** An error that a worker has found. */
export interface QueueError {
  /** The id of the worker, and the name of its machine. */
  readonly worker: string;
  readonly host: string;
  readonly path?: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** An error as a worker reports it, of the path that it was logged with or its own. */
export function queueErrorOf(worker: string, error: SyncerError, path = error.path): QueueError {
  const { code, message } = error;
  return { worker, host: hostname(), code, message, ...(path === undefined ? {} : { path }) };
}

/** Adds errors to those of a run, of which the last ones are kept. */
export async function addQueueErrors(
  redis: Redis,
  run: string,
  errors: readonly QueueError[],
): Promise<void> {
  const most = [runKey(run, 'errors'), 'MAXLEN', '~', MOST_ERRORS] as const;
  await Promise.all(
    errors.map((error) => redis.xadd(...most, '*', 'error', JSON.stringify(error))),
  );
}

/** Errors behind an id of the stream (`0`: from the first), and the id to continue with. */
export async function readQueueErrors(
  redis: Redis,
  run: string,
  after: string,
): Promise<{ readonly errors: readonly QueueError[]; readonly after: string }> {
  const key = runKey(run, 'errors');
  const found = await redis.xrange(key, `(${after}`, '+', 'COUNT', 1000);
  const errors = found.map(([, fields]) => queueEntry<QueueError>(fields[1] ?? '', key));
  return { errors, after: found.at(-1)?.[0] ?? after };
}

/** An entry of the queue as data. Throws `other` for one that is no object: syncer has not written it. */
export function queueEntry<T extends object>(text: string, key: string): T {
  const value = jsonObject<T>(text);
  if (value === undefined || Array.isArray(value)) throw damagedEntry(key);
  return value;
}

/** The error for an entry that syncer has not written. */
export function damagedEntry(key: string): SyncerError {
  return new SyncerError('other', `the queue has a damaged entry in ${key}`, {
    advice: 'end the run with: syncer stop RUN --queue URL; then run the same command again',
  });
}

/** What a run is to do, from the text in the queue. Throws `other` for what is no run: syncer has not written it. */
export function runEntry(text: string): Signed<RunSpec> {
  const entry = queueEntry<Partial<Signed<Partial<RunSpec>>>>(text, RUNS_KEY);
  const { id, verb, source, dest, words, limits, places } = entry.value ?? {};
  const isRun =
    [id, verb, source, dest].every((part) => typeof part === 'string') &&
    Array.isArray(words) &&
    words.every((word) => typeof word === 'string') &&
    [limits, places?.source, places?.dest].every((part) => typeof part === 'object' && part);
  if (!isRun) throw damagedEntry(RUNS_KEY);
  return entry as Signed<RunSpec>;
}

/** All runs: by id, what each is to do. */
const RUNS_KEY = 'syncer:runs';

/** Runs that have ended lately: their ids, by the time of their end. */
const ENDED_KEY = 'syncer:ended';

/** Where a run keeps its state, its ranges, who works on it, who coordinates, and its errors. */
const PARTS = ['run', 'ranges', 'workers', 'lease', 'errors'] as const;

/** A key of one run, or its channel. */
export const runKey = (run: string, part: (typeof PARTS)[number] | 'news'): string =>
  `syncer:{${run}}:${part}`;

/** The lease on a range, of the worker that has claimed it with this token. */
export const leaseKey = (run: string, token = ''): string => `${runKey(run, 'lease')}:${token}`;

/** A limit that all workers of a run share. */
export const limitKey = (run: string, name: string): string => `syncer:{${run}}:limit:${name}`;

/** Which run changes which places: by id, a list with the identity of each place and of all places above it. */
const CHANGES_KEY = 'syncer:changes';

/**
 * What has changed: `ranges`, some wait or can be shared, or a slot is idle; `state`, a run has begun, is to stop or has
 * ended, or a worker has left it.
 */
export type News = 'ranges' | 'state';

/** Sends news to all that listen to a run (`undefined`: to all runs). They may be lost: listeners also look from time to time. */
export async function sendNews(
  redis: Pick<Redis, 'publish'>,
  run: string | undefined,
  news: News,
): Promise<void> {
  await redis.publish(channelOf(run), news).catch(() => {});
}

/** Calls `listener` with the news of a run (`undefined`: of all runs), until the queue is closed. */
export function listenForNews(
  queue: Pick<QueueConnection, 'patient'>,
  run: string | undefined,
  listener: (news: News) => void,
): void {
  const redis = queue.patient();
  redis.on('message', (_channel, news) => listener(news as News));
  // A user of the server that has no access to channels only looks from time to time.
  redis.subscribe(channelOf(run)).catch(() => {});
}

const channelOf = (run: string | undefined) => (run === undefined ? RUNS_KEY : runKey(run, 'news'));

/** Waits for a time that news can cut short. */
export class Waiting {
  #news = Promise.withResolvers<void>();

  /** Ends the wait, or the next one if there is none. */
  end(): void {
    this.#news.resolve();
  }

  async wait(time: Promise<void>): Promise<void> {
    await Promise.race([time, this.#news.promise]);
    this.#news = Promise.withResolvers();
  }
}
