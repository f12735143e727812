import { shortRunId } from '../../core/run-id.ts';
import { counted, figure } from '../../core/shown-text.ts';
import type { ViewStyle } from '../../shell/progress/row-lines.ts';
import { shortRate, shortSize, shortTime } from '../../shell/progress/short-size.ts';
import { shareLine } from '../../terminal/bar.ts';
import { cellWidth, cut, fill, fillLeft } from '../../terminal/cells.ts';
import { fitParts, part, separated } from '../../terminal/fit-parts.ts';
import { type Line, span } from '../../terminal/span.ts';
import { ago } from '../../terminal/time-texts.ts';
import { LEASE } from './lease-watch.ts';
import { ENDED_BY, isAlive, type RunEnding, type WorkerSign } from './queue-run.ts';
import { extraOf, phaseText, type QueueSnapshot, rangeStates, totalsOf } from './watch-run.ts';

/** More workers than this are only counted. */
const MOST_WORKERS = 8;

/** Lines of the terminal that workers leave to everything else: figures, errors, transfers, keys. */
const OTHER_LINES = 12;

/** A queue that has not answered for so long is said to be away, in milliseconds. */
const SILENT_MS = 4_000;

/** A run of a queue as lines of a terminal: how far it is, its ranges, its workers, and what it waits for. */
export function queueRunLines(run: QueueSnapshot, style: ViewStyle, silentMs: number): Line[] {
  const { columns } = style.size;
  const { spec, state } = run;
  const title = `${spec.verb} ${spec.source} ${style.look.glyphs.arrow} ${spec.dest}`;
  const id = `run ${shortRunId(spec.id)}  `;
  const isOver = state.ended !== undefined;
  return [
    [
      span(id, 'accent', true),
      span(cut(title, Math.max(0, columns - cellWidth(id)), style.look.glyphs.ellipsis), 'title'),
    ],
    ...(isOver ? [] : [doneLine(run, style)]),
    amountsLine(run, style),
    filesLine(run, style),
    rangesLine(run, style),
    ...(isOver ? [] : [...workerLines(run, style), ...waitLines(run, style, silentMs)]),
  ];
}

/** How a run ended, in a word or two. */
export function endingText({ how }: RunEnding): string {
  if (how === 'finished') return 'done';
  return how === 'failed' || how === 'stopped' ? how : `ended by ${ENDED_BY[how]}`;
}

/** How long ago the last sign of a lost worker was, and what becomes of the ranges that it had. */
export function lostText({ id, atMs }: WorkerSign, { ledger, nowMs }: QueueSnapshot): string {
  const held = ledger.ranges.filter(({ state, owner }) => state === 'held' && owner === id).length;
  const since = `lost ${ago(nowMs - atMs)}`;
  if (held === 0) return since;
  const seconds = Math.ceil((atMs + LEASE.ms - nowMs) / 1000);
  const when = seconds > 0 ? `in ${seconds} s` : 'now';
  return `${since}: ${counted(held, 'range')} for others ${when}`;
}

function doneLine(run: QueueSnapshot, { size, look }: ViewStyle): Line {
  const { bytes, totalBytes, files, totalFiles } = totalsOf(run);
  // What there is to delete in ranges that wait is not counted.
  const isKnown = run.state.phase === 'copying' && totalFiles > 0;
  const share = totalBytes > 0 ? bytes / totalBytes : files / totalFiles;
  return shareLine(isKnown ? share : undefined, size.columns, look.glyphs);
}

function amountsLine(run: QueueSnapshot, { size, look, unit }: ViewStyle): Line {
  const { state, nowMs } = run;
  const { bytes, totalBytes, rate, workers, slots } = totalsOf(run);
  const { ended, stop } = state;
  const took = part(3, shortTime(((ended?.atMs ?? nowMs) - state.begunMs) / 1000), 'dim');
  const parts =
    ended === undefined
      ? [
          part(0, stop === undefined ? phaseText(run) : 'stopping', 'accent', true),
          part(1, `${shortSize(bytes)} of ${shortSize(totalBytes)}`),
          part(2, shortRate(rate, unit)),
          part(4, `${counted(workers, 'worker')}, ${counted(slots, 'slot')}`),
        ]
      : [
          part(0, endingText(ended), ended.how === 'finished' ? 'good' : 'warn', true),
          part(1, shortSize(bytes)),
        ];
  return separated(size.columns, look.glyphs, [...parts, took]);
}

function filesLine(run: QueueSnapshot, { size, look }: ViewStyle): Line {
  const { files, totalFiles, checks, deletes, errors } = totalsOf(run);
  const isOver = run.state.ended !== undefined;
  return separated(size.columns, look.glyphs, [
    part(0, isOver ? `files ${figure(files)}` : `files ${figure(files)} of ${figure(totalFiles)}`),
    part(3, checks === 0 ? '' : `checks ${figure(checks)}`),
    part(2, deletes === 0 ? '' : `deleted ${figure(deletes)}`),
    part(1, errors === 0 ? '' : counted(errors, 'error'), 'bad'),
    part(4, run.state.attempt > 1 ? `attempt ${run.state.attempt}` : ''),
  ]);
}

/** What ranges have counted. */
const EXTRA_TEXT: Partial<Record<string, (count: string) => string>> = {
  sync: (count) => `${count} extra, deleted at the end`,
  move: (count) => `${count} at the source, deleted at the end`,
  check: (count) => `differences ${count}`,
};

function rangesLine({ spec, state, ledger, ...run }: QueueSnapshot, style: ViewStyle): Line {
  const { size, look } = style;
  const { open, held, failed } = rangeStates(ledger);
  const { ranges } = totalsOf(run);
  const isOver = state.ended !== undefined;
  const extra = extraOf(ledger);
  const told = EXTRA_TEXT[spec.verb]?.(figure(extra));
  const isCounted = extra > 0 && (spec.verb === 'check' || (state.phase === 'copying' && !isOver));
  return separated(size.columns, look.glyphs, [
    part(0, `ranges ${figure(ranges)} done`),
    part(2, isOver ? '' : `${figure(held)} running`),
    part(3, isOver ? '' : `${figure(open)} waiting`),
    part(1, failed === 0 ? '' : `${figure(failed)} failed`, 'bad'),
    part(4, isCounted ? (told ?? '') : ''),
  ]);
}

/** Lost workers whose ranges wait first, then those that work, then those that are only gone. */
function workerLines(run: QueueSnapshot, { size, look, unit }: ViewStyle): Line[] {
  const { nowMs, ledger } = run;
  const shown = run.workers.filter(({ hasLeft }) => hasLeft !== true);
  const holds = ({ id }: WorkerSign) =>
    ledger.ranges.some(({ state, owner }) => state === 'held' && owner === id);
  const rank = (sign: WorkerSign) => (isAlive(sign, nowMs) ? 1 : holds(sign) ? 0 : 2);
  const inOrder = shown.sort((a, b) => rank(a) - rank(b) || (nameOf(a) < nameOf(b) ? -1 : 1));
  const most = Math.max(1, Math.min(MOST_WORKERS, size.rows - OTHER_LINES));
  const first = inOrder.slice(0, inOrder.length > most ? Math.max(1, most - 1) : most);
  const others = inOrder.length - first.length;
  const rows = first.map((sign) =>
    isAlive(sign, nowMs)
      ? [
          nameOf(sign),
          counted(sign.slots, 'slot'),
          shortRate(sign.counts.rate, unit),
          counted(sign.counts.ranges, 'range'),
          ago(nowMs - sign.atMs),
        ]
      : [nameOf(sign), lostText(sign, run)],
  );
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(
      ...rows.filter((row) => at === 0 || row.length > 2).map((row) => cellWidth(row[at] ?? '')),
    ),
  );
  // Of slots, rate, ranges and last sign.
  const ranks = [3, 0, 2, 1];
  const nameWidth = Math.min(widths[0] ?? 0, Math.max(1, Math.floor(size.columns / 2)));
  const lines = rows.map(([name = '', ...cells]): Line => {
    const named = span(`  ${fill(name, nameWidth, look.glyphs.ellipsis)}`);
    const room = Math.max(0, size.columns - nameWidth - 4);
    if (cells.length === 1) {
      return [named, span(`  ${cut(cells[0] ?? '', room, look.glyphs.ellipsis)}`, 'warn')];
    }
    // Filled to equal widths, all rows lose the same columns where there is little room.
    const parts = cells.map((cell, at) =>
      part(ranks[at] ?? 0, fillLeft(cell, widths[at + 1] ?? 0), at === 3 ? 'dim' : 'plain'),
    );
    return [named, span('  '), ...fitParts(parts, room, '  ')];
  });
  if (others > 0) {
    lines.push([span(cut(`  and ${counted(others, 'more worker')}`, size.columns), 'dim')]);
  }
  return lines;
}

const nameOf = ({ host, pid }: WorkerSign) => `${host} ${pid}`;

function waitLines(run: QueueSnapshot, { size, look }: ViewStyle, silentMs: number): Line[] {
  const alive = run.workers.filter((sign) => isAlive(sign, run.nowMs));
  const reasons = new Set(
    alive.flatMap(({ waitsFor }) => (waitsFor === undefined ? [] : [waitsFor])),
  );
  if (silentMs > SILENT_MS) {
    reasons.add(`no answer from the queue for ${Math.floor(silentMs / 1000)} s`);
  } else if (alive.length === 0) reasons.add('no worker; start one with "syncer worker"');
  return [...reasons].map((why) => [
    span(cut(`! waiting: ${why}`, size.columns, look.glyphs.ellipsis), 'warn'),
  ]);
}
