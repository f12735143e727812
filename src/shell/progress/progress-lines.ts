import { formatReadableDuration, formatSizeUnit } from '../../go/quantities.ts';
import {
  type ActiveTransfer,
  currentRate,
  elapsedMs,
  type ProgressState,
  runSecondsLeft,
  secondsLeft,
  totalBytes,
  totalChecks,
  totalTransfers,
} from './progress-state.ts';

/** How statistics are written: `--stats-unit`, `--stats-file-name-length`. */
export interface StatsStyle {
  readonly unit: 'bytes' | 'bits';
  /** Names are shortened to this many characters and aligned; 0: as they are. */
  readonly nameLength: number;
  /** At most this many running transfers are named, and as many checks; the others are counted. */
  readonly mostNamed: number;
}

/** The statistics as rclone prints them, line by line, without the empty lines around them. */
export function progressLines(state: ProgressState, nowMs: number, style: StatsStyle): string[] {
  const checks = totalChecks(state);
  const transfers = totalTransfers(state);
  const freed = formatSizeUnit(state.deletedBytes);
  const gone = `${count(state.deletedFiles)} (files), ${state.deletedDirs} (dirs), ${freed} (freed)`;
  const lines = [`Transferred:   \t${amountText(state, nowMs, style)}`];
  const hint = state.retryError ? ' (retrying may help)' : ' (no need to retry)';
  const note = state.fatalError ? ' (fatal error encountered)' : hint;
  if (state.errors > 0) lines.push(label('Errors:', count(state.errors) + note));
  if (checks > 0 || state.listed > 0) {
    lines.push(label('Checks:', `${ratio(state.checks, checks)}, Listed ${state.listed}`));
  }
  if (state.deletedFiles > 0 || state.deletedDirs > 0) lines.push(label('Deleted:', gone));
  if (state.renames > 0) lines.push(label('Renamed:', count(state.renames)));
  if (transfers > 0) lines.push(label('Transferred:', ratio(state.transfers, transfers)));
  const inStores = [
    ['Server Side Copies:', state.serverCopies, state.serverCopyBytes],
    ['Server Side Moves:', state.serverMoves, state.serverMoveBytes],
  ] as const;
  for (const [name, files, bytes] of inStores) {
    const number = String(files).padStart(25 - name.length);
    if (files > 0) lines.push(`${name}${number} @ ${formatSizeUnit(bytes)}`);
  }
  // Hours and minutes, then seconds with one decimal: `2.5`, `1m2.5`, `1h0m0.0`.
  const tenths = Math.floor(elapsedMs(state, nowMs) / 100);
  const elapsed = hoursAndMinutes(Math.floor(tenths / 600)) + ((tenths % 600) / 10).toFixed(1);
  lines.push(label('Elapsed time:', `${elapsed.padStart(10)}s`));
  const { check = [], transfer = [] } = Object.groupBy(state.active.values(), ({ kind }) =>
    kind === 'check' ? 'check' : 'transfer',
  );
  return [
    ...lines,
    ...activeLines('Checking:', check, style),
    ...activeLines('Transferring:', transfer, style),
  ];
}

/** The statistics on one line (`--stats-one-line`). */
export function progressOneLine(state: ProgressState, nowMs: number, style: StatsStyle): string {
  const counts: string[] = [];
  if (state.queuedTransfers > 0) counts.push(`xfr#${state.transfers}/${totalTransfers(state)}`);
  if (state.queuedChecks > 0) counts.push(`chk#${state.checks}/${totalChecks(state)}`);
  const text = amountText(state, nowMs, style);
  return counts.length === 0 ? text : `${text} (${counts.join(', ')})`;
}

function amountText(state: ProgressState, nowMs: number, style: StatsStyle): string {
  const total = totalBytes(state);
  const speed = speedText(currentRate(state, nowMs), style);
  const done = formatSizeUnit(state.bytes).padStart(13);
  const share = percent(state.bytes, total);
  return `${done} / ${formatSizeUnit(total)}, ${share}, ${speed}, ETA ${timeLeft(state, nowMs)}`;
}

function speedText(rate: number, { unit }: StatsStyle): string {
  return unit === 'bits'
    ? `${formatSizeUnit(Math.trunc(rate * 8)).replace(/B$/, 'bit')}/s`
    : formatSizeUnit(Math.trunc(rate), '/s');
}

/** How long the run will still take, as statistics tell it: `1m5s`, `-` where that cannot be told. */
export function timeLeft(state: ProgressState, nowMs: number): string {
  const left = runSecondsLeft(state, nowMs);
  return left === undefined ? '-' : formatReadableDuration(left * 1000);
}

function activeLines(
  title: string,
  active: readonly ActiveTransfer[],
  style: StatsStyle,
): readonly string[] {
  if (active.length === 0) return [];
  const named = active.slice(0, style.mostNamed).map((each) => ` * ${activeText(each, style)}`);
  const others = active.length - named.length;
  return [title, ...named, ...(others > 0 ? [` * and ${others} more`] : [])];
}

function activeText(transfer: ActiveTransfer, style: StatsStyle): string {
  const { path, bytes, size, rate, kind } = transfer;
  const name = shortName(path, style.nameLength).padStart(style.nameLength);
  if (kind !== 'copy' && bytes === 0)
    return `${name}: ${kind === 'check' ? 'checking' : 'transferring'}`;
  const share = String(size > 0 ? Math.trunc((100 * bytes) / size) : 0).padStart(3);
  const left = secondsLeft(bytes, size, rate);
  // `5s`, `1m5s`, `26h0m5s`.
  const eta = left === undefined ? '-' : `${hoursAndMinutes(Math.floor(left / 60))}${left % 60}s`;
  return `${name}:${share}% / ${formatSizeUnit(size)}, ${speedText(rate, style)}, ${eta}`;
}

/** A name cut in its middle to `length` characters. */
function shortName(name: string, length: number): string {
  const letters = [...name];
  if (length <= 0 || letters.length <= length) return name;
  const end = Math.floor((length - 1) / 2);
  const start = length - 1 - end;
  return `${letters.slice(0, start).join('')}…${letters.slice(letters.length - end).join('')}`;
}

const label = (name: string, rest: string) => name.padEnd(15) + rest;
const count = (value: number) => String(value).padStart(10);
const ratio = (done: number, total: number) => `${count(done)} / ${total}, ${percent(done, total)}`;

/** A share as a rounded percentage, 100 only for all; `-` where it makes no sense. */
function percent(part: number, whole: number): string {
  if (part < 0 || whole <= 0) return '-';
  const rounded = Math.floor((part * 100) / whole + 0.5);
  return `${part < whole ? Math.min(99, rounded) : rounded}%`;
}

function hoursAndMinutes(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  if (hours > 0) return `${hours}h${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m` : '';
}
