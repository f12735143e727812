import { harmless } from '../../core/harmless.ts';
import { formatSizeUnit } from '../../go/byte-size.ts';
import { shortRunId } from '../../home/running-run.ts';
import { alignedRows } from '../../kit/aligned-rows.ts';
import { counted, figure } from '../../kit/counted.ts';
import { isAlive } from '../../queue/queue-run.ts';
import { ago } from '../../screen/time-texts.ts';
import { endingText, lostText } from './queue-run-lines.ts';
import { phaseText, type QueueSnapshot, rangeStates, totalsOf } from './watch-run.ts';

const RUN_HEADINGS = ['RUN', 'STATE', 'STARTED', 'DONE', 'WORKERS', 'COMMAND'];
const WORKER_HEADINGS = ['WORKER', 'PID', 'RUN', 'SLOTS', 'RANGES', 'DONE', 'LAST SIGN'];

/** The tables of `syncer ps --queue`: runs, and the workers of those that go on; one line saying so if there are none. */
export function queuePsLines(runs: readonly QueueSnapshot[]): readonly string[] {
  if (runs.length === 0) return ['No run is in the queue.'];
  const workers = runs
    .filter(({ state }) => state.ended === undefined)
    .flatMap((run) => workerRows(run));
  return [
    ...alignedRows([RUN_HEADINGS, ...runs.map(runRow)]),
    ...(workers.length === 0 ? [] : ['', ...alignedRows([WORKER_HEADINGS, ...workers])]),
  ];
}

/** A run of a queue as an object of `syncer ps --queue --json`; its fields are in docs/many-machines.md. */
export function queueJson(run: QueueSnapshot) {
  const { spec, state, ledger, workers, nowMs } = run;
  const { id, verb, source, dest } = spec;
  return {
    ...{ id, verb, source, dest },
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

function workerRows(run: QueueSnapshot): readonly (readonly string[])[] {
  const { spec, workers, nowMs } = run;
  return workers
    .filter(({ hasLeft }) => hasLeft !== true)
    .map((sign) => [
      harmless(sign.host),
      String(sign.pid),
      shortRunId(spec.id),
      figure(sign.slots),
      figure(sign.counts.ranges),
      `${counted(sign.counts.files, 'file')}, ${formatSizeUnit(sign.counts.bytes)}`,
      isAlive(sign, nowMs) ? ago(nowMs - sign.atMs) : lostText(sign, run),
    ]);
}
