import { randomBytes } from 'node:crypto';
import { isStop, SyncerError, toSyncerError } from '../../core/errors.ts';
import {
  applyEvent,
  startProgress,
  totalBytes,
  totalTransfers,
} from '../../progress/progress-state.ts';
import { tickRates } from '../../progress/transfer-rate.ts';
import type { QueueConnection } from '../../queue/connect.ts';
import { enterRun, type RunEnding, readRunSpec } from '../../queue/queue-run.ts';
import { runEntry } from '../../queue/run-entry.ts';
import {
  destinationKeys,
  limitDifferences,
  type RunSpec,
  sameRunKey,
} from '../../queue/run-spec.ts';
import { queueKey, signed, verified } from '../../queue/signed.ts';
import { workRun } from '../../queue/work-run.ts';
import type { SyncPlan } from '../../sync/file-work.ts';
import type { Bandwidth, RunSetup } from '../../sync/run.ts';
import type { Invocation } from '../command.ts';
import { logText } from '../log/log-text.ts';
import { VERSION } from '../version.ts';
import { withQueue } from './find-queue-run.ts';
import { ownDisplay } from './own-display.ts';
import { refuseWithQueue } from './refuse-with-queue.ts';
import { runLimits } from './run-limits.ts';
import { resultOf } from './run-result.ts';
import { differencesFrom, identityOf, runSpecOf } from './same-places.ts';
import { watchRun } from './watch-run.ts';

/** The variable that makes a command a worker of this run: set by `syncer worker` for the programs that it starts. */
export const JOINED_RUN = 'SYNCER_JOINED_RUN';

/** A run, and the id of this process as a worker of it. */
interface Participation {
  readonly spec: RunSpec;
  readonly id: string;
}

/** Names of a range: some 20 pages, so that a worker that is killed loses little. */
const NAMES_A_RANGE = 20_000;

/**
 * `--queue`: a copy or sync whose ranges of names many workers share. Begins the run, or continues the one that the
 * same command has begun; works on it unless `--no-work`; and returns when it has ended, with the number of files that
 * were transferred by all. Rejects with the error that decides the exit code: `locked` if another run changes the
 * destination.
 */
export async function runOverQueue(
  invocation: Invocation,
  setup: RunSetup,
  plan: SyncPlan,
): Promise<number> {
  refuseWithQueue(invocation);
  const { env, flags } = invocation;
  return withQueue(invocation, async (queue) => {
    const id = randomBytes(8).toString('hex');
    const joined = env[JOINED_RUN];
    if (joined !== undefined) {
      const spec = await joinedSpec(queue, joined, env);
      await prove(invocation, spec, plan);
      return resultOf(await work(invocation, setup, plan, queue, { spec, id }), spec);
    }
    const spec = await begin(invocation, queue, plan);
    if (!flags.detach) return follow(invocation, setup, plan, queue, { spec, id });
    await invocation.out.write(`${spec.id}\n`);
    return 0;
  });
}

/** Watches a run, and works on it unless `--no-work`, until it has ended. */
async function follow(
  invocation: Invocation,
  setup: RunSetup,
  plan: SyncPlan,
  queue: QueueConnection,
  { spec, id }: Participation,
): Promise<number> {
  const { flags, context } = invocation;
  const watching = new AbortController();
  const watch = watchRun(queue, spec, {
    context,
    signal: watching.signal,
    display: ownDisplay(invocation, spec, id),
  });
  let ending: RunEnding | undefined;
  try {
    ending = flags['no-work']
      ? await watch.ending
      : await work(invocation, setup, plan, queue, { spec, id });
    return resultOf(ending, spec, await watch.end());
  } catch (thrown) {
    const error = toSyncerError(thrown);
    const isLeft = ending === undefined && (context.signal.aborted || isStop(error));
    if (isLeft) tellGoingOn(invocation, spec, queue.address.shown);
    throw error;
  } finally {
    watching.abort();
  }
}

/** Enters the run, or finds the one that the same command has entered. */
async function begin(
  invocation: Invocation,
  queue: QueueConnection,
  plan: SyncPlan,
): Promise<RunSpec> {
  const key = queueKey(invocation.env);
  const spec = await runSpecOf(invocation, plan.verb === 'sync' ? 'sync' : 'copy', plan);
  const entered = await enterRun(queue.redis, {
    ...{
      id: spec.id,
      begunMs: spec.begunMs,
      destination: destinationKeys(identityOf(plan.dest, spec.dest)),
    },
    spec: JSON.stringify(signed(key, 'run', spec)),
  });
  const { shown } = queue.address;
  if (entered === spec.id) {
    tell(invocation, `Run ${entered} is in the queue at ${shown}`);
    return spec;
  }
  const other = await joinedSpec(queue, entered, invocation.env);
  const limits = limitDifferences(other, spec);
  const isSame = sameRunKey(other) === sameRunKey(spec);
  if (!isSame || limits.length > 0) {
    const what = `${other.verb} ${other.source} -> ${other.dest}`;
    const why = isSame ? `, with another value of ${limits.join(', ')}` : '';
    throw new SyncerError('locked', `run ${entered} changes ${spec.dest}: ${what}${why}`, {
      advice: `wait for its end, or run: syncer stop ${entered} --queue ${shown}`,
    });
  }
  tell(invocation, `Run ${entered} goes on in the queue at ${shown}`);
  return other;
}

/** What a run is to do. Rejects with `vanished` if there is no such run, and with `access-denied` if its signature is wrong. */
async function joinedSpec(
  queue: QueueConnection,
  run: string,
  env: NodeJS.ProcessEnv,
): Promise<RunSpec> {
  const text = await readRunSpec(queue.redis, run);
  if (text === undefined) throw new SyncerError('vanished', `there is no run ${run} in the queue`);
  return verified(queueKey(env), 'run', runEntry(text), `run ${run}`);
}

/** Rejects with `usage` unless this machine sees the same places, and its flags are those of the run. */
async function prove(invocation: Invocation, spec: RunSpec, plan: SyncPlan): Promise<void> {
  const differences = await differencesFrom(spec, invocation.flags, plan, invocation.context);
  if (differences.length === 0) return;
  throw new SyncerError('usage', `cannot work on run ${spec.id}: ${differences.join('; ')}`);
}

async function work(
  { flags, env }: Invocation,
  setup: RunSetup,
  plan: SyncPlan,
  queue: QueueConnection,
  { spec, id }: Participation,
): Promise<RunEnding> {
  const parent = env[JOINED_RUN] === undefined ? undefined : endsWithParent();
  const { context } = setup;
  const by = { redis: queue.redis, run: spec.id, worker: id, context };
  const limits = runLimits(spec.limits, by);
  const unlimit = context.requestGate?.use(limits.takeRequest);
  const state = startProgress(context.clock.monotonic());
  const signals = [context.signal, ...(parent === undefined ? [] : [parent])];
  const counted: RunSetup = {
    ...setup,
    bandwidth: bothLimits(setup.bandwidth, limits.bandwidth),
    context: {
      ...context,
      signal: AbortSignal.any(signals),
      emit(event) {
        applyEvent(state, event);
        limits.emit(event);
      },
    },
  };
  const { maxDelete, maxDurationMs } = spec.limits;
  const rules = {
    ...{ run: spec.id, id, version: VERSION },
    slots: flags.slots,
    ...{ namesARange: NAMES_A_RANGE, retries: flags.retries },
    ...(typeof maxDelete === 'number' ? { maxDelete } : {}),
    ...(maxDurationMs === undefined ? {} : { maxDurationMs }),
    counts() {
      tickRates(state, context.clock.monotonic());
      return {
        ...{ files: state.transfers, bytes: state.bytes, checks: state.checks },
        ...{ totalFiles: totalTransfers(state), totalBytes: totalBytes(state) },
        ...{ deletes: state.deletedFiles, errors: state.errors, rate: state.rate },
      };
    },
    tell: (text: string) => context.emit(logText('notice', text)),
    waitsFor: () => {
      const lowered = limits.loweredTo();
      if (lowered === undefined) return undefined;
      return `the store asks to slow down: ${Math.round(lowered)} requests/s for all workers`;
    },
  };
  try {
    return await workRun(counted, plan, queue, rules);
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

function tellGoingOn(invocation: Invocation, { id }: RunSpec, shown: string): void {
  const text = `Run ${id} goes on if it has other workers; to stop it: syncer stop ${id} --queue ${shown}`;
  tell(invocation, text);
}

const tell = ({ context }: Invocation, text: string) => context.emit(logText('notice', text));

/** The limits of this machine (`--bwlimit-file`, `set RUN bwlimit=`), and those of the whole run. */
function bothLimits(own: Bandwidth | undefined, shared: Bandwidth | undefined) {
  if (own === undefined || shared === undefined) return own ?? shared;
  const takeBoth = async (first: Pick<Bandwidth, 'take'>, ...of: Parameters<Bandwidth['take']>) => {
    await first.take(...of);
    await shared.take(...of);
  };
  return {
    take: (...of: Parameters<Bandwidth['take']>) => takeBoth(own, ...of),
    isLimited: () => true,
    ofFile() {
      const file = own.ofFile();
      return { take: (...of: Parameters<Bandwidth['take']>) => takeBoth(file, ...of) };
    },
  };
}
