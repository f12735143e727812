import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { counted } from '../../src/core/shown-text.ts';
import { checkRights, type QueueConnection } from '../../src/run/queue/connect.ts';
import { withQueue } from '../../src/run/queue/find-queue-run.ts';
import { isExposed, type QueuePlace, queuePlace } from '../../src/run/queue/queue-address.ts';
import { persistent } from '../../src/run/queue/queue-error.ts';
import {
  listenForNews,
  listRunSpecs,
  runEntry,
  sendNews,
  Waiting,
} from '../../src/run/queue/queue-run.ts';
import { rangesInRedis } from '../../src/run/queue/ranges-in-redis.ts';
import { refuseNoSlots } from '../../src/run/queue/refuse-with-queue.ts';
import {
  FILE_GROUPS,
  flagWords,
  foreignWord,
  protocolDifference,
  QUEUE_PROTOCOL,
  QUEUE_VERBS,
  type RunSpec,
} from '../../src/run/queue/run-spec.ts';
import { queueKey, verified } from '../../src/run/queue/signed.ts';
import { JOINED_RUN } from '../../src/run/queue/work-in-queue.ts';
import { Ledger } from '../../src/run/ranges/ledger.ts';
import type { CommandCall, Environment } from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { ownCommand } from '../../src/shell/process/own-command-line.ts';
import { VERSION } from '../../src/shell/version.ts';
import { exactCommand } from '../../src/system/exact-command.ts';
import type { PS_FLAGS } from './command.ts';

/** Of `--allow`, and of `--allow-move`. Without either everything is permitted. */
interface AllowedRuns {
  readonly allow: readonly AllowedPair[];
  readonly move: readonly AllowedPair[];
}

/** How often the queue is asked for runs, and the pauses before a program is started again, in milliseconds. */
const [LOOK_MS, FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [300, 1_000, 60_000];

/**
 * `syncer worker`: works on every run of a queue that it may work on, until it is stopped. Each run is worked on by a
 * program of its own, which is the command of the run: a key that kills it costs this program nothing.
 */
export async function runWorker(
  invocation: CommandCall<typeof PS_FLAGS> & Environment,
): Promise<void> {
  const { args, env, flags, context } = invocation;
  refuseNoSlots(flags);
  const [url = flags.queue] = args;
  if (flags.queue !== undefined && url !== flags.queue)
    throw new SyncerError('usage', 'the address of the queue is given twice: write one of both');
  const allowed = {
    allow: flags.allow.map((text) => parseAllowed(text)),
    move: flags['allow-move'].map((text) => parseAllowed(text, '--allow-move')),
  };
  const key = queueKey(env);
  const note = (text: string) => context.emit(logText('notice', text));
  const work = async (queue: QueueConnection) => {
    await checkRights(queue);
    const worker = runsWorker(invocation, queue, allowed);
    note(
      `Waiting for runs in the queue at ${queue.address.shown}, ${flags.slots} ranges at a time`,
    );
    if (isExposed(queue.address))
      note('The queue has no TLS: names of objects pass the network in clear text');
    if (allowed.allow.length + allowed.move.length === 0 && key === undefined) {
      note(
        'Without --allow and SYNCER_QUEUE_KEY this worker does what any user of the queue asks for',
      );
    }
    try {
      await worker.run();
    } finally {
      await worker.end();
    }
  };
  await withQueue(invocation, work, url);
}

/** A worker: `run` works on runs until there is nothing left to do, `end` stops its programs. */
function runsWorker(
  { context, flags, env }: CommandCall<typeof PS_FLAGS> & Environment,
  queue: QueueConnection,
  allowed: AllowedRuns,
) {
  const { redis, address } = queue;
  const { clock, signal } = context;
  const working = new Map<
    string,
    { readonly child: ChildProcess; readonly ended: Promise<unknown> }
  >();
  /** Runs that are not worked on before a time, and how long the next pause is. */
  const pauses = new Map<string, { readonly untilMs: number; readonly nextMs: number }>();
  const refused = new Set<string>();
  const note = (text: string) => context.emit(logText('notice', text));

  const start = (id: string, { verb, source, dest, words }: RunSpec) => {
    const mine = flagWords(
      flags,
      (_, { group, commands }) => commands === undefined && !FILE_GROUPS.includes(group),
    );
    const { shown, password } = address;
    const worker = randomBytes(8).toString('hex');
    const shared = [`--queue=${shown}`, `--slots=${flags.slots}`];
    const [program, ...own] = ownCommand();
    const command = exactCommand({
      file: program,
      args: [...own, verb, source, dest, ...words, ...mine, ...shared],
      // The password may be in the URL of SYNCER_QUEUE.
      env: {
        ...env,
        SYNCER_QUEUE_PASSWORD: env['SYNCER_QUEUE_PASSWORD'] || password,
        [JOINED_RUN]: `${id} ${worker}`,
      },
    });
    const child = spawn(command.file, command.args, {
      env: command.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    note(`Working on run ${id}: ${verb} ${source} -> ${dest}`);
    const { promise: ended, resolve } = Promise.withResolvers<number | null>();
    child.once('error', () => resolve(null));
    child.once('exit', (code) => resolve(code));
    working.set(id, { child, ended });
    void ended.then((code) => afterEnd(id, code, worker));
  };

  /** The program is gone, and has been waited for. */
  const afterEnd = async (id: string, code: number | null, worker: string) => {
    working.delete(id);
    const { nextMs } = pauses.get(id) ?? { nextMs: FIRST_PAUSE_MS };
    // It may have found that this machine sees another place: that may be mended while the run goes on.
    const untilMs = clock.monotonic() + nextMs;
    pauses.set(id, { untilMs, nextMs: Math.min(nextMs * 2, LONGEST_PAUSE_MS) });
    const how = code === 0 ? 'has ended' : `ended with exit code ${code ?? 'of a signal'}`;
    context.emit(logText(code === 0 ? 'notice' : 'error', `Work on run ${id} ${how}`));
    if (code === 0) return;
    // Others need not wait until its leases run out; if the queue is away, they do that by themselves.
    const count = await freeRanges(redis, id, worker).catch(() => 0);
    const ranges = counted(count, 'range');
    if (count > 0) note(`Run ${id}: ${ranges} of the lost program can be taken by others now`);
  };

  const consider = (id: string, text: string) => {
    const isBusy = flags.once && working.size > 0;
    if (working.has(id) || refused.has(id) || isBusy) return;
    if ((pauses.get(id)?.untilMs ?? 0) > clock.monotonic()) return;
    try {
      start(id, permitted(id, text, queueKey(env), allowed));
    } catch (thrown) {
      refused.add(id);
      const { message, advice } = toSyncerError(thrown);
      const why = advice === undefined ? message : `${message}; ${advice}`;
      context.emit(logText('error', `Not working on run ${id}: ${why}`));
    }
  };

  return {
    async run(): Promise<void> {
      const persist = persistent(address, clock, signal, note);
      const waiting = new Waiting();
      listenForNews(queue, undefined, () => waiting.end());
      let hasWorked = false;
      for (;;) {
        const runs = await persist(() => listRunSpecs(redis));
        for (const [id, text] of Object.entries(runs)) consider(id, text);
        hasWorked ||= working.size > 0;
        if (working.size === 0 && (flags.drain || (flags.once && hasWorked))) return;
        await waiting.wait(clock.sleep(LOOK_MS, signal));
      }
    },
    /** Stops all programs in order: they return their ranges. */
    async end(): Promise<void> {
      for (const { child } of working.values()) child.kill('SIGTERM');
      await Promise.allSettled([...working.values()].map(({ ended }) => ended));
    },
  };
}

/** Reads the entry of a run. Throws if a worker must not work on it. */
function permitted(
  id: string,
  text: string,
  key: ReturnType<typeof queueKey>,
  { allow, move }: AllowedRuns,
): RunSpec {
  const spec: RunSpec = verified(key, runEntry(text), 'it');
  if (spec.id !== id) throw new SyncerError('access-denied', `it is the entry of run ${spec.id}`);
  const own = { protocol: QUEUE_PROTOCOL, version: VERSION };
  const protocol = protocolDifference(spec, own);
  if (protocol !== undefined) throw new SyncerError('unsupported', protocol);
  if (!QUEUE_VERBS.includes(spec.verb)) {
    throw new SyncerError('access-denied', `"${String(spec.verb)}" is no command for workers`);
  }
  const foreign = foreignWord(spec.words);
  if (foreign !== undefined) {
    throw new SyncerError('access-denied', `${foreign} is no flag that a run may have`);
  }
  for (const place of [spec.source, spec.dest]) {
    queuePlace(place);
    if (place.startsWith('-')) throw new SyncerError('access-denied', `"${place}" is no place`);
  }
  const [flag, pairs] = spec.verb === 'move' ? ['--allow-move', move] : ['--allow', allow];
  if (allow.length + move.length > 0 && !isAllowed(pairs, spec)) {
    const pair = `${spec.source} -> ${spec.dest}`;
    throw new SyncerError('access-denied', `${flag} does not permit ${pair}`);
  }
  return spec;
}

/**
 * The ranges that a worker has and that is gone wait for others, which need not wait until its leases run out. Resolves to
 * their number: one that another worker has by now stays.
 */
export async function freeRanges(redis: Redis, run: string, worker: string): Promise<number> {
  const ledger = new Ledger(rangesInRedis(redis, run, (command) => command()));
  const { phase, ranges } = await ledger.read();
  const its = ranges.filter(({ owner }) => owner === worker);
  const freed = await Promise.all(its.map((range) => ledger.free(phase, range)));
  await sendNews(redis, run, 'ranges');
  return freed.filter(Boolean).length;
}

/** A pattern of `--allow` or `--allow-move`: the places below these two. */
export interface AllowedPair {
  readonly source: QueuePlace;
  readonly dest: QueuePlace;
}

/**
 * Reads `'lake: -> copy:backup'`: runs from `lake:` or below, to `copy:backup` or below. Throws `usage` for anything
 * else.
 */
export function parseAllowed(text: string, flag = '--allow'): AllowedPair {
  const [from, to, ...more] = text.split(' -> ');
  if (from === undefined || to === undefined || more.length > 0) {
    const why = `${flag} "${text}" is no pair of places: write 'source: -> dest:path', with a space before and after the arrow`;
    throw new SyncerError('usage', why);
  }
  return { source: queuePlace(from.trim()), dest: queuePlace(to.trim()) };
}

/** Whether one of the pairs has both places; both as in the command: `lake:data`. Unreadable places are never allowed. */
export function isAllowed(
  pairs: readonly AllowedPair[],
  { source, dest }: { readonly source: string; readonly dest: string },
): boolean {
  const isBelow = (place: QueuePlace, above: QueuePlace) =>
    place.remote === above.remote &&
    (above.path === '' || `${place.path}/`.startsWith(`${above.path}/`));
  try {
    const [from, to] = [queuePlace(source), queuePlace(dest)];
    return pairs.some((pair) => isBelow(from, pair.source) && isBelow(to, pair.dest));
  } catch {
    return false;
  }
}
