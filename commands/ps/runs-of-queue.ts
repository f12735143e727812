import { hasCode, SyncerError } from '../../src/core/errors.ts';
import { shortRunId } from '../../src/core/run-id.ts';
import { alignedRows, counted, figure, harmless } from '../../src/core/shown-text.ts';
import { formatSizeUnit } from '../../src/go/quantities.ts';
import type { QueueConnection } from '../../src/run/queue/connect.ts';
import {
  type DamagedRun,
  damagedRun,
  findQueueRun,
  queueRuns,
  withQueue,
} from '../../src/run/queue/find-queue-run.ts';
import { lostRun, queueError } from '../../src/run/queue/queue-error.ts';
import { dropQueueRun, isAlive, stopQueueRun } from '../../src/run/queue/queue-run.ts';
import { endingText, lostText } from '../../src/run/queue/queue-run-lines.ts';
import type { RunSpec } from '../../src/run/queue/run-spec.ts';
import {
  phaseText,
  type QueueSnapshot,
  rangeStates,
  readSnapshot,
  totalsOf,
} from '../../src/run/queue/watch-run.ts';
import type {
  CommandCall,
  Environment,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import type { PS_FLAGS } from './command.ts';

/** `ps --queue`: the runs of a queue, and who works on them. Rejects in the end if some cannot be read. */
export async function listQueue(
  invocation: CommandCall<typeof PS_FLAGS> & Environment & StandardOutput,
): Promise<void> {
  const { flags, out, context } = invocation;
  await withQueue(invocation, async (queue) => {
    const { now, ended, damaged } = await readRuns(queue);
    const runs = [...now, ...ended];
    const lines = runs.length === 0 && damaged.length > 0 ? [] : queuePsLines(runs);
    const text = flags['ps-json']
      ? `${JSON.stringify(runs.map(queueJson), undefined, 2)}\n`
      : lines.map((line) => `${line}\n`).join('');
    await out.write(text);
    const last = damaged.pop();
    for (const { error } of damaged) context.emit(logText('error', error.message));
    if (last !== undefined) throw last.error;
  });
}

/**
 * `stop --queue`: ends a run on all its workers, and removes one that cannot be read. Rejects with `vanished` if there is
 * no such run, or it has ended.
 */
export async function stopInQueue(
  invocation: CommandCall<typeof PS_FLAGS> & Environment & StandardOutput,
): Promise<void> {
  const { args, flags, out } = invocation;
  await withQueue(invocation, async (queue) => {
    const { now, ended, damaged } = await readRuns(queue);
    const ids = {
      now: [...now.map(({ spec }) => spec), ...damaged],
      ended: ended.map(({ spec }) => spec),
    };
    const { id } = findQueueRun<Pick<RunSpec, 'id'>>(args[0], ids);
    if (damaged.some((run) => run.id === id)) {
      await dropQueueRun(queue.redis, id);
      await out.write(`${id}: could not be read, and was removed\n`);
      return;
    }
    const isStopped = await stopQueueRun(queue.redis, id, flags['stop-now'] ? 'now' : 'soft');
    if (!isStopped) throw new SyncerError('vanished', `run ${id} has ended already`);
    await out.write(`${id}: stops${flags['stop-now'] ? '' : ' after its current files'}\n`);
  });
}

/** All runs of a queue as they are now; one that cannot be read hides no other one. */
async function readRuns(queue: QueueConnection) {
  const specs = await queueRuns(queue);
  const damaged: DamagedRun[] = [...specs.damaged];
  const read = async (spec: RunSpec, isOver: boolean): Promise<QueueSnapshot[]> => {
    let reason: SyncerError = lostRun(spec.id);
    try {
      const run = await readSnapshot(queue, spec);
      if (run !== undefined || isOver) return run === undefined ? [] : [run];
    } catch (thrown) {
      reason = queueError(thrown, queue.address);
      if (!hasCode(reason, 'other')) throw reason;
    }
    damaged.push(damagedRun(spec.id, reason));
    return [];
  };
  const [now, ended] = await Promise.all([
    Promise.all(specs.now.map((spec) => read(spec, false))),
    Promise.all(specs.ended.map((spec) => read(spec, true))),
  ]);
  return { now: now.flat(), ended: ended.flat(), damaged };
}

/** The tables of `syncer ps --queue`: runs, and the workers of those that go on; one line saying so if there are none. */
export function queuePsLines(runs: readonly QueueSnapshot[]): readonly string[] {
  if (runs.length === 0) return ['No run is in the queue.'];
  const workers = runs
    .filter(({ state }) => state.ended === undefined)
    .flatMap((run) => {
      const present = run.workers.filter(({ hasLeft }) => hasLeft !== true);
      return present.map((sign) => [
        harmless(sign.host),
        String(sign.pid),
        shortRunId(run.spec.id),
        figure(sign.slots),
        figure(sign.counts.ranges),
        `${counted(sign.counts.files, 'file')}, ${formatSizeUnit(sign.counts.bytes)}`,
        isAlive(sign, run.nowMs) ? ago(run.nowMs - sign.atMs) : lostText(sign, run),
      ]);
    });
  const ofRuns = ['RUN', 'STATE', 'STARTED', 'DONE', 'WORKERS', 'COMMAND'];
  const ofWorkers = ['WORKER', 'PID', 'RUN', 'SLOTS', 'RANGES', 'DONE', 'LAST SIGN'];
  return [
    ...alignedRows([ofRuns, ...runs.map(runRow)]),
    ...(workers.length === 0 ? [] : ['', ...alignedRows([ofWorkers, ...workers])]),
  ];
}

/** A run of a queue as an object of `syncer ps --queue --json`; its fields are in docs/many-machines.md. */
export function queueJson(run: QueueSnapshot) {
  const { spec, state, ledger, workers, nowMs } = run;
  const { id, verb, source, dest } = spec;
  return {
    id,
    verb,
    source,
    dest,
    ...state,
    ranges: rangeStates(ledger),
    totals: totalsOf(run),
    workers: workers.map(({ hasLeft, ...sign }) => ({
      ...sign,
      state: hasLeft === true ? 'left' : isAlive(sign, nowMs) ? 'working' : 'lost',
    })),
  };
}

function runRow(run: QueueSnapshot): readonly string[] {
  const { spec, state, nowMs } = run;
  const totals = totalsOf(run);
  const isOver = state.ended !== undefined;
  const done = [
    counted(spec.verb === 'check' ? totals.checks : totals.files, 'file'),
    formatSizeUnit(totals.bytes),
    ...(totals.deletes > 0 ? [`${figure(totals.deletes)} deleted`] : []),
    ...(totals.errors > 0 ? [counted(totals.errors, 'error')] : []),
    ...(isOver ? [] : [`${formatSizeUnit(Math.round(totals.rate))}/s`]),
  ];
  const going = state.stop === undefined ? phaseText(run) : 'stopping';
  return [
    shortRunId(spec.id),
    state.ended === undefined
      ? going
      : `${endingText(state.ended)} ${ago(nowMs - state.ended.atMs)}`,
    ago(nowMs - state.begunMs),
    done.join(', '),
    isOver ? '-' : figure(totals.workers),
    harmless(`${spec.verb} ${spec.source} ${spec.dest}`),
  ];
}
