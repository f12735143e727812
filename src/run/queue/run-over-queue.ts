import { randomBytes } from 'node:crypto';
import { innermost } from '../../core/around.ts';
import type { Context } from '../../core/context.ts';
import { isStop, SyncerError, toSyncerError } from '../../core/errors.ts';
import type { PlaceIdentity } from '../../core/finding.ts';
import { modTimeToMs } from '../../core/mod-time.ts';
import type { Remote } from '../../core/remote.ts';
import type { Sides } from '../../engine/action.ts';
import type { TreeComparison } from '../../engine/check.ts';
import type { SyncRequest } from '../../engine/file-work.ts';
import type { RunSetup } from '../../engine/run.ts';
import type { CutoffMode } from '../../engine/sync-option-parts.ts';
import type {
  CommandCall,
  Environment,
  Program,
  StandardOutput,
  Steering,
} from '../../shell/command-line/command.ts';
import { FLAGS, type Flags } from '../../shell/flags/flag-table.ts';
import { logText } from '../../shell/log/log-text.ts';
import { VERSION } from '../../shell/version.ts';
import { checkTask, type RangeTask, syncTask } from '../ranges/work-range.ts';
import { checkRights, type QueueConnection } from './connect.ts';
import { inWords, withQueue } from './find-queue-run.ts';
import { persistent } from './queue-error.ts';
import {
  endWithoutWorkers,
  enterRun,
  type RunEnding,
  readRunSpec,
  readRunState,
  runEntry,
} from './queue-run.ts';
import { refuseUnshared, refuseWithQueue } from './refuse-with-queue.ts';
import {
  differentFlags,
  hashedIdentity,
  limitDifferences,
  type OwnView,
  placeKeys,
  protocolDifference,
  QUEUE_PROTOCOL,
  type QueueVerb,
  type RunSpec,
  runDifferences,
  runWords,
  sameRunKey,
} from './run-spec.ts';
import { queueKey, signed, verified } from './signed.ts';
import {
  type QueueRunDisplay,
  type QueueSnapshot,
  resultOf,
  snapshotLine,
  watchRun,
} from './watch-run.ts';
import { JOINED_RUN, type Participation, workInQueue } from './work-in-queue.ts';

/** The sides of a run: the first one is always changed, unless it is a check, and the other one by a move. */
const SIDES = ['dest', 'source'] as const;

/** What a command with `--queue` needs. */
type QueueNeeds = CommandCall & Program & Environment & StandardOutput & Steering;

/** `--queue` of copy, sync and move: as `runOverQueue`. The limits of the plan are those of the run. */
export function transferOverQueue(
  invocation: QueueNeeds,
  setup: RunSetup,
  plan: SyncRequest,
): Promise<number> {
  const options = { ...plan.options, maxTransfer: -1 };
  const { verb, source, dest } = plan;
  const task = syncTask(setup, { ...plan, options }, invocation.flags.slots);
  return runOverQueue(invocation, setup, { verb, source, dest, task });
}

/** `--queue` of check. */
export async function checkOverQueue(
  invocation: QueueNeeds,
  setup: RunSetup,
  comparison: TreeComparison,
): Promise<void> {
  const { source, dest } = comparison;
  const task = checkTask(setup, { ...comparison, reports: {} }, invocation.flags.slots);
  await runOverQueue(invocation, setup, { verb: 'check', source, dest, task });
  const { flags, env, context } = invocation;
  if (flags.detach || env[JOINED_RUN] !== undefined) return;
  const fields = { what: 'differences', count: 0 } as const;
  context.emit({ type: 'log', level: 'notice', path: dest.title, code: 'check-count', fields });
}

/**
 * `--queue`: a command whose ranges of names many workers share. Begins the run, or continues the one that the
 * same command has begun; works on it unless `--no-work`; and returns when it has ended, with the number of files that
 * were transferred by all. Rejects with the error that decides the exit code: `locked` if another run changes the
 * same place, `differences` for those of a check.
 */
async function runOverQueue(
  invocation: QueueNeeds,
  setup: RunSetup,
  { verb, task, ...sides }: Sides & { readonly verb: QueueVerb; readonly task: RangeTask },
): Promise<number> {
  refuseWithQueue(invocation.flags, invocation.args, invocation);
  const { env, flags, context } = invocation;
  return withQueue(invocation, async (queue) => {
    const [joined, id = randomBytes(8).toString('hex')] = env[JOINED_RUN]?.split(' ') ?? [];
    if (joined !== undefined) {
      const spec = await findSpec(queue, joined, env);
      // It has ended since the worker saw it.
      if (spec === undefined) return 0;
      const state = spec.verb === 'move' ? await readRunState(queue.redis, spec.id) : undefined;
      const isFirstGone = state?.phase === 'deleting';
      // This machine must see the same places, and its flags must be those of the run.
      const differences = await differencesFrom({ ...spec, isFirstGone }, flags, sides, context);
      if (differences.length > 0)
        throw new SyncerError('usage', `cannot work on run ${spec.id}: ${differences.join('; ')}`);
      return resultOf(await workInQueue(invocation, setup, task, queue, { spec, id }), spec);
    }
    await checkRights(queue);
    const spec = await begin(invocation, queue, verb, sides);
    if (!flags.detach) return follow(invocation, setup, task, queue, { spec, id });
    await invocation.out.write(`${spec.id}\n`);
    return 0;
  });
}

/** Watches a run, and works on it unless `--no-work`, until it has ended. */
async function follow(
  invocation: CommandCall & Environment & Steering,
  setup: RunSetup,
  task: RangeTask,
  queue: QueueConnection,
  { spec, id }: Participation,
): Promise<number> {
  const { flags, context } = invocation;
  const watching = new AbortController();
  const display = await ownDisplay(invocation, spec, id);
  const watch = watchRun(queue, spec, context, display, watching.signal);
  let ending: RunEnding | undefined;
  try {
    ending = flags['no-work']
      ? await watch.ending
      : await workInQueue(invocation, setup, task, queue, { spec, id });
    const result = await watch.end();
    display.finish();
    return resultOf(ending, spec, result);
  } catch (thrown) {
    const error = toSyncerError(inWords(thrown, queue.address));
    let goesOn = ending === undefined && (context.signal.aborted || isStop(error));
    // With an error it goes on only on other workers; a queue that is away has said so.
    if (ending === undefined && !goesOn && !flags['no-work'])
      goesOn = !(await endWithoutWorkers(queue.redis, spec.id, 'failed').catch(() => true));
    if (goesOn)
      tell(
        invocation,
        `Run ${spec.id} continues if it has other workers; to stop it: syncer stop ${spec.id} --queue ${queue.address.shown}`,
      );
    throw error;
  } finally {
    watching.abort();
  }
}

/** Enters the run, or finds the one that the same command has entered. */
async function begin(
  invocation: CommandCall & Environment,
  queue: QueueConnection,
  verb: QueueVerb,
  sides: Sides,
): Promise<RunSpec> {
  const key = queueKey(invocation.env);
  const spec = await runSpecOf(invocation, verb, sides);
  const changed = verb === 'check' ? [] : verb === 'move' ? SIDES : SIDES.slice(0, 1);
  const places = changed.map((side) => placeKeys(identityOf(sides[side], spec[side])));
  const { clock, signal } = invocation.context;
  const persist = persistent(queue.address, clock, signal, (text) => tell(invocation, text));
  const entered = await persist(() =>
    enterRun(queue.redis, {
      id: spec.id,
      changes: places.length > 0 ? places : [[`${verb} ${sameRunKey(spec)}`]],
      spec: JSON.stringify(signed(key, spec)),
    }),
  );
  const { shown } = queue.address;
  if (entered === spec.id) {
    tell(invocation, `Run ${entered} is in the queue at ${shown}`);
    return spec;
  }
  const other = await findSpec(queue, entered, invocation.env);
  if (other === undefined) {
    const advice = 'run the same command again';
    throw new SyncerError('locked', `run ${entered} has just ended`, { advice });
  }
  const others = [...differentFlags(other, spec), ...limitDifferences(other, spec)];
  if (sameRunKey(other) !== sameRunKey(spec) || others.length > 0) {
    const what = `${other.verb} ${other.source} -> ${other.dest}`;
    const isSameWork = (['verb', 'source', 'dest'] as const).every((of) => other[of] === spec[of]);
    const why =
      isSameWork && others.length > 0 ? `, with another value of ${others.join(', ')}` : '';
    const place = verb === 'move' ? 'one of both places' : spec.dest;
    const holds = verb === 'check' ? 'is the same' : `changes ${place}`;
    throw new SyncerError('locked', `run ${entered} ${holds}: ${what}${why}`, {
      advice: `wait for its end, or run: syncer stop ${entered} --queue ${shown}`,
    });
  }
  const protocol = protocolDifference(other, spec);
  if (protocol !== undefined) throw new SyncerError('unsupported', `run ${entered}: ${protocol}`);
  tell(invocation, `Run ${entered} continues in the queue at ${shown}`);
  return other;
}

/** What a run is to do; `undefined` if it has ended. Rejects with `access-denied` if its signature is wrong. */
async function findSpec(
  queue: QueueConnection,
  run: string,
  env: NodeJS.ProcessEnv,
): Promise<RunSpec | undefined> {
  const text = await readRunSpec(queue.redis, run);
  return text === undefined ? undefined : verified(queueKey(env), runEntry(text), `run ${run}`);
}

const tell = ({ context }: CommandCall, text: string) => context.emit(logText('notice', text));

/**
 * How the command that began a run shows it: in the view of `--progress`, or in the log every `--stats`.
 *
 * @param ownId this process as a worker: its errors are in its log already
 */
async function ownDisplay(
  { context: { clock, emit }, flags, overview }: CommandCall & Steering,
  { id }: RunSpec,
  ownId: string,
): Promise<QueueRunDisplay & { finish(): void }> {
  // Widths of characters take a while to load: a log needs none.
  const lines = overview && (await import('./queue-run-lines.ts')).queueRunLines;
  let seen: { readonly run: QueueSnapshot; readonly atMs: number } | undefined;
  let told = clock.monotonic();
  const tell = (run: QueueSnapshot) => emit(logText('notice', `Run ${id} ${snapshotLine(run)}`));
  return {
    show(run) {
      const now = clock.monotonic();
      if (seen === undefined)
        overview?.(
          (style) => (seen && lines?.(seen.run, style, clock.monotonic() - seen.atMs)) ?? [],
        );
      seen = { run, atMs: now };
      const isDue = overview === undefined && flags.stats > 0 && now - told >= flags.stats;
      // Workers have not said yet what they did last.
      if (!isDue || run.state.ended !== undefined) return;
      told = now;
      tell(run);
    },
    /** The run has ended, and its last figures were shown. */
    finish() {
      if (overview === undefined && seen !== undefined) tell(seen.run);
    },
    fail({ worker, host, message, path }) {
      if (worker !== ownId) emit(logText('error', `${host}: ${message}`, path));
    },
  };
}

/**
 * The spec of a run that this command begins, with a look at the first object of the source. Rejects with `usage` for
 * places that many machines cannot share, and with the error of the look.
 */
export async function runSpecOf(
  { flags, args, context, runId }: CommandCall,
  verb: QueueVerb,
  sides: Sides,
): Promise<RunSpec> {
  const [source = '', dest = ''] = args;
  const { first, ...view } = await ownView(flags, { source, dest }, sides, context);
  const { bwlimit, tpslimit, 'max-duration': maxDurationMs, 'max-delete': maxDelete } = flags;
  const { 'max-delete-size': maxDeleteBytes = -1, 'max-transfer': maxTransfer = -1 } = flags;
  const { 'cutoff-mode': cutoffMode, retries } = flags;
  return {
    ...view,
    id: runId,
    verb,
    source,
    dest,
    limits: {
      ...(bwlimit === undefined ? {} : { bandwidth: bwlimit }),
      ...(tpslimit > 0 ? { requestsPerSecond: tpslimit } : {}),
      ...(maxDurationMs === undefined || maxDurationMs <= 0 ? {} : { maxDurationMs }),
      ...(typeof maxDelete !== 'number' || maxDelete < 0 ? {} : { maxDelete }),
      ...(maxDeleteBytes < 0 ? {} : { maxDeleteBytes }),
      ...(maxTransfer < 0 ? {} : { maxTransfer }),
      ...(cutoffMode === 'hard' ? {} : { cutoffMode: cutoffMode as CutoffMode }),
      ...(retries === FLAGS.retries.default ? {} : { retries }),
    },
    first: first && { key: first.key, etag: first.etag },
    begunMs: context.clock.now(),
  };
}

/**
 * Compares a run with what this machine would work on. Resolves to a sentence for each difference; to none if it may
 * work on the run.
 *
 * @param spec `isFirstGone`: objects of the source may be deleted by now
 * @param flags of this machine, parsed from the words of the run
 */
export async function differencesFrom(
  spec: RunSpec & { readonly isFirstGone?: boolean },
  flags: Flags,
  sides: Sides,
  context: Context,
): Promise<readonly string[]> {
  try {
    const own = await ownView(flags, spec, sides, context);
    return runDifferences(spec, own, spec.isFirstGone);
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (thrown instanceof SyncerError) return [thrown.message];
    throw thrown;
  }
}

async function ownView(
  flags: Flags,
  written: Pick<RunSpec, 'source' | 'dest'>,
  { source, dest }: Sides,
  context: Context,
): Promise<OwnView> {
  refuseUnshared(source, written.source);
  refuseUnshared(dest, written.dest);
  return {
    protocol: QUEUE_PROTOCOL,
    version: VERSION,
    words: await runWords(flags, context),
    places: {
      // Nothing is written there.
      source: hashedIdentity({ ...identityOf(source, written.source), writing: '' }),
      dest: hashedIdentity(identityOf(dest, written.dest)),
    },
    first: await firstOf(source, context),
  };
}

/** What a place is for all machines. Throws `usage` if that is not known. */
function identityOf(remote: Remote, asWritten: string): PlaceIdentity {
  const identity = innermost(remote).can.inspection?.identity;
  if (identity === undefined) throw new SyncerError('usage', `"${asWritten}" cannot be shared`);
  return identity;
}

async function firstOf(source: Remote, { signal }: Context): Promise<OwnView['first']> {
  const page = await source.can.listTreePage?.('', undefined, { signal }, { most: 1 });
  const file = page?.entries.find((entry) => entry.kind === 'file');
  if (file?.kind !== 'file') return null;
  const { path: key, etag = '', storedTime } = file;
  const stored = storedTime === undefined ? {} : { storedMs: modTimeToMs(storedTime) };
  return { key, etag, ...stored };
}
