import { type ChildProcess, spawn } from 'node:child_process';
import type { Redis } from 'ioredis';
import { counted } from '../../src/core/counted.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { checkRights, type QueueConnection } from '../../src/run/queue/connect.ts';
import { withQueue } from '../../src/run/queue/find-queue-run.ts';
import { isExposed, type QueuePlace, queuePlace } from '../../src/run/queue/queue-address.ts';
import { persistent } from '../../src/run/queue/queue-error.ts';
import {
  listenForNews,
  listRunSpecs,
  openJobs,
  runEntry,
  Waiting,
} from '../../src/run/queue/queue-run.ts';
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
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { ownCommand } from '../../src/shell/process/own-command-line.ts';
import { VERSION } from '../../src/shell/version.ts';
import { exactCommand } from '../../src/system/exact-command.ts';
import type { PS_FLAGS } from './command.ts';

/** A program that works on one run. */
interface Working {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** What the tokens of its leases begin with; absent: it has begun nothing. */
  locks?: string;
}

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
export async function runWorker(invocation: Invocation<typeof PS_FLAGS>): Promise<void> {
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
    const worker = new RunsWorker(invocation, queue, allowed);
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

class RunsWorker {
  readonly #invocation: Invocation<typeof PS_FLAGS>;
  readonly #queue: QueueConnection;
  readonly #allowed: AllowedRuns;
  readonly #working = new Map<string, Working>();
  /** Runs that are not worked on before a time, and how long the next pause is. */
  readonly #pauses = new Map<string, { readonly untilMs: number; readonly nextMs: number }>();
  readonly #refused = new Set<string>();

  constructor(
    invocation: Invocation<typeof PS_FLAGS>,
    queue: QueueConnection,
    allowed: AllowedRuns,
  ) {
    this.#invocation = invocation;
    this.#queue = queue;
    this.#allowed = allowed;
  }

  async run(): Promise<void> {
    const { context, flags } = this.#invocation;
    const persist = persistent(this.#queue.address, context.clock, context.signal, (text) =>
      context.emit(logText('notice', text)),
    );
    const waiting = new Waiting();
    listenForNews(this.#queue, undefined, () => waiting.end());
    let hasWorked = false;
    for (;;) {
      const runs = await persist(() => listRunSpecs(this.#queue.redis));
      for (const [id, text] of Object.entries(runs)) this.#consider(id, text);
      hasWorked ||= this.#working.size > 0;
      const isIdle = this.#working.size === 0;
      if (isIdle && (flags.drain || (flags.once && hasWorked))) return;
      await waiting.wait(context.clock.sleep(LOOK_MS, context.signal));
    }
  }

  /** Stops all programs in order: they return their ranges. */
  async end(): Promise<void> {
    for (const { child } of this.#working.values()) child.kill('SIGTERM');
    await Promise.allSettled([...this.#working.values()].map(({ ended }) => ended));
  }

  #consider(id: string, text: string): void {
    const { flags, context } = this.#invocation;
    const pause = this.#pauses.get(id);
    const isBusy = flags.once && this.#working.size > 0;
    if (this.#working.has(id) || this.#refused.has(id) || isBusy) return;
    if (pause !== undefined && pause.untilMs > context.clock.monotonic()) return;
    try {
      this.#start(id, this.#permitted(id, text));
    } catch (thrown) {
      this.#refused.add(id);
      const { message, advice } = toSyncerError(thrown);
      const why = advice === undefined ? message : `${message}; ${advice}`;
      context.emit(logText('error', `Not working on run ${id}: ${why}`));
    }
  }

  /** Throws if this worker must not work on the run. */
  #permitted(id: string, text: string): RunSpec {
    const { env } = this.#invocation;
    const spec: RunSpec = verified(queueKey(env), 'run', runEntry(text), 'it');
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
    const { allow, move } = this.#allowed;
    const [flag, pairs] = spec.verb === 'move' ? ['--allow-move', move] : ['--allow', allow];
    if (allow.length + move.length > 0 && !isAllowed(pairs, spec)) {
      const pair = `${spec.source} -> ${spec.dest}`;
      throw new SyncerError('access-denied', `${flag} does not permit ${pair}`);
    }
    return spec;
  }

  #start(id: string, { verb, source, dest, words }: RunSpec): void {
    const { flags, env, context } = this.#invocation;
    const mine = flagWords(
      flags,
      (_, { group, commands }) => commands === undefined && !FILE_GROUPS.includes(group),
    );
    const { shown, password } = this.#queue.address;
    const shared = [`--queue=${shown}`, `--slots=${flags.slots}`];
    const [program, ...own] = ownCommand();
    const start = exactCommand({
      file: program,
      args: [...own, verb, source, dest, ...words, ...mine, ...shared],
      // The password may be in the URL of SYNCER_QUEUE.
      env: {
        ...env,
        SYNCER_QUEUE_PASSWORD: env['SYNCER_QUEUE_PASSWORD'] || password,
        [JOINED_RUN]: id,
      },
    });
    const child = spawn(start.file, start.args, {
      env: start.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    context.emit(logText('notice', `Working on run ${id}: ${verb} ${source} -> ${dest}`));
    const { promise: ended, resolve } = Promise.withResolvers<number | null>();
    child.once('error', () => resolve(null));
    child.once('exit', (code) => resolve(code));
    const working: Working = { child, ended };
    child.on('message', ({ locks }: { readonly locks: string }) => {
      working.locks = locks;
    });
    this.#working.set(id, working);
    void ended.then((code) => this.#ended(id, code, working.locks));
  }

  /** The program is gone, and has been waited for. */
  #ended(id: string, code: number | null, locks: string | undefined): void {
    const { context } = this.#invocation;
    this.#working.delete(id);
    const { nextMs } = this.#pauses.get(id) ?? { nextMs: FIRST_PAUSE_MS };
    // It may have found that this machine sees another place: that may be mended while the run goes on.
    const untilMs = context.clock.monotonic() + nextMs;
    this.#pauses.set(id, { untilMs, nextMs: Math.min(nextMs * 2, LONGEST_PAUSE_MS) });
    const how = code === 0 ? 'has ended' : `ended with exit code ${code ?? 'of a signal'}`;
    context.emit(logText(code === 0 ? 'notice' : 'error', `Work on run ${id} ${how}`));
    if (code !== 0 && locks !== undefined) void this.#free(id, locks);
  }

  /** Others need not wait until the leases of a program that is gone run out. */
  async #free(id: string, locks: string): Promise<void> {
    // A queue that is away: they run out by themselves.
    const count = await endLeases(this.#queue.redis, id, locks).catch(() => 0);
    if (count === 0) return;
    const { context } = this.#invocation;
    const text = `Run ${id}: ${counted(count, 'range')} of the lost program can be taken by others now`;
    context.emit(logText('notice', text));
  }
}

/**
 * Ends the leases of a worker that is gone, so that others take its ranges before they run out. A lease is ended by its
 * token: one that another worker has by now stays.
 *
 * @param locks what the tokens of that worker begin with
 * @returns how many were ended
 */
export async function endLeases(redis: Redis, run: string, locks: string): Promise<number> {
  const jobs = await openJobs(redis, run);
  let ended = 0;
  try {
    for (const job of await jobs.getActive()) {
      const token = await redis.get(`${jobs.toKey(job.id ?? '')}:lock`);
      if (token?.startsWith(`${locks}:`) !== true) continue;
      const isEnded = await job.moveToWait(token).then(
        () => true,
        // It has run out.
        () => false,
      );
      if (isEnded) ended++;
    }
  } finally {
    await jobs.close();
  }
  return ended;
}

/** A pattern of `--allow` or `--allow-move`: the places below these two. */
export interface AllowedPair {
  readonly source: QueuePlace;
  readonly dest: QueuePlace;
}

const ARROW = ' -> ';

/**
 * Reads `'lake: -> copy:backup'`: runs from `lake:` or below, to `copy:backup` or below. Throws `usage` for anything
 * else.
 */
export function parseAllowed(text: string, flag = '--allow'): AllowedPair {
  const [from, to, ...more] = text.split(ARROW);
  if (from === undefined || to === undefined || more.length > 0) {
    throw new SyncerError(
      'usage',
      `${flag} "${text}" is no pair of places: write 'source: -> dest:path', with a space before and after the arrow`,
    );
  }
  return { source: queuePlace(from.trim()), dest: queuePlace(to.trim()) };
}

/** Whether one of the pairs has both places; both as in the command: `lake:data`. Unreadable places are never allowed. */
export function isAllowed(
  pairs: readonly AllowedPair[],
  { source, dest }: { readonly source: string; readonly dest: string },
): boolean {
  const [from, to] = [source, dest].map(readable);
  if (from === undefined || to === undefined) return false;
  return pairs.some((pair) => isBelow(from, pair.source) && isBelow(to, pair.dest));
}

function readable(text: string): QueuePlace | undefined {
  try {
    return queuePlace(text);
  } catch {
    return undefined;
  }
}

function isBelow(place: QueuePlace, above: QueuePlace): boolean {
  if (place.remote !== above.remote) return false;
  return above.path === '' || `${place.path}/`.startsWith(`${above.path}/`);
}
