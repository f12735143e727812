import { harmless } from '../core/harmless.ts';
import { bar } from '../screen/bar.ts';
import { cellWidth, cut, cutLeft, cutMiddle, fill } from '../screen/cells.ts';
import { fitParts, part } from '../screen/fit-parts.ts';
import { footerKeys, helpKeys } from '../screen/key-table.ts';
import type { Glyphs, Look } from '../screen/look.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, span } from '../screen/span.ts';
import { spark } from '../screen/spark.ts';
import {
  type ActiveTransfer,
  type ProgressState,
  totalBytes,
  totalChecks,
  totalTransfers,
} from './progress-state.ts';
import { settledSecondsLeft } from './settled-time-left.ts';
import { shortRate, shortSize, shortTime } from './short-size.ts';
import { currentRate, secondsLeft } from './transfer-rate.ts';
import { type ViewMode, viewKeys } from './view-keys.ts';
import { assignRows, type ViewState } from './view-state.ts';

const PERCENT = 4;

const RATE = 10;

const TIME = 6;

const WIDEST_BAR = 24;

/** The widths of the columns of transfers, in a terminal of `columns`. */
interface RowWidths {
  readonly name: number;
  readonly bar: number;
  readonly rate: number;
  readonly time: number;
}

const WORDS = {
  copy: '',
  check: 'checking',
  'server-copy': 'in store',
  'server-move': 'in store',
} as const;

/** What of the run a person has changed by keys. */
export interface ViewControls {
  /** There are keys at all: standard input is a terminal, and nothing else reads it. */
  readonly hasKeys: boolean;
  readonly mode: ViewMode;
  readonly isPaused: boolean;
  readonly isStopping: boolean;
  /** Transfers at once; 0 while nobody knows. */
  readonly width: number;
  /** In bytes a second, where it was set by a key. */
  readonly limit: number | undefined;
}

/** How the view is drawn. */
export interface ViewStyle {
  readonly size: Size;
  readonly look: Look;
  readonly unit: 'bytes' | 'bits';
}

/** More rows than this are no longer read, and each costs its drawing. */
const MOST_ROWS = 10;

/** A setback is shown for so long after the wait it asked for, in milliseconds. */
const SETBACK_SHOWN_MS = 5000;

/** The view of a run, line by line, at most one less than the terminal has. Changes which row shows which transfer. */
export function viewLines(
  state: ProgressState,
  view: ViewState,
  controls: ViewControls,
  style: ViewStyle,
  nowMs: number,
): Line[] {
  const { size, look } = style;
  const head = [
    barLine(state, size.columns, look),
    amountLine(state, view, controls, style, nowMs),
    countLine(state, nowMs, size.columns, look),
  ];
  const tail = [...troubleLines(state, view, style, nowMs), ...keyLines(controls, style)];
  if (controls.mode.kind === 'help')
    return [...head, ...helpLines(controls, style), ...tail].slice(0, size.rows - 1);
  const room = Math.max(0, size.rows - 1 - head.length - tail.length);
  return [...head, ...rowLines(state, view, style, Math.min(MOST_ROWS, room)), ...tail].slice(
    0,
    Math.max(1, size.rows - 1),
  );
}

function barLine(state: ProgressState, columns: number, { glyphs }: Look): Line {
  const total = totalBytes(state);
  const share = total > 0 ? Math.min(1, state.bytes / total) : 0;
  const percent = total > 0 ? `${Math.floor(share * 100)}%` : '-';
  return [
    ...bar(share, Math.max(1, columns - 6), glyphs),
    span(percent.padStart(5), 'plain', true),
  ];
}

function amountLine(
  state: ProgressState,
  view: ViewState,
  { isPaused, isStopping, limit }: ViewControls,
  { size, look, unit }: ViewStyle,
  nowMs: number,
): Line {
  const { glyphs } = look;
  const left = settledSecondsLeft(view.end, nowMs);
  const limited =
    limit === undefined || limit === Infinity ? '' : ` (limit ${shortRate(limit, unit)})`;
  const going = isPaused
    ? part(1, 'paused', 'warn', true)
    : part(1, shortRate(currentRate(state, nowMs), unit) + limited, 'accent', true);
  return fitParts(
    [
      part(0, `${shortSize(state.bytes)} of ${shortSize(totalBytes(state))}`, 'plain', true),
      ...(isStopping ? [part(1, 'stopping', 'warn', true)] : []),
      going,
      part(4, spark(view.history, size.columns >= 72 ? 20 : 8, glyphs), 'bar'),
      part(2, isPaused ? '' : `ETA ${left === undefined ? '-' : shortTime(left)}`),
    ],
    size.columns,
    ' '.repeat(2),
  );
}

function countLine(state: ProgressState, nowMs: number, columns: number, { glyphs }: Look): Line {
  const checks = totalChecks(state);
  const { transfers, deletedFiles, deletedDirs, renames } = state;
  const dirs = deletedDirs === 0 ? '' : ` and ${deletedDirs} directories`;
  return fitParts(
    [
      part(0, `files ${transfers} of ${totalTransfers(state)}`),
      part(2, checks === 0 ? '' : `checks ${state.checks} of ${checks}`),
      part(3, deletedFiles + deletedDirs === 0 ? '' : `deleted ${deletedFiles}${dirs}`),
      part(4, renames === 0 ? '' : `renamed ${renames}`),
      part(1, shortTime((nowMs - state.startedMs) / 1000), 'dim'),
    ],
    columns,
    ` ${glyphs.separator} `,
  );
}

function rowLines(
  state: ProgressState,
  view: ViewState,
  { size, look, unit }: ViewStyle,
  most: number,
): Line[] {
  const active = state.active.size;
  const hasMore = active > most && most > 1;
  assignRows(view, state, hasMore ? most - 1 : most);
  const widths = rowWidths(size.columns);
  const lines: Line[] = view.rows.map((id) => {
    const transfer = id === undefined ? undefined : state.active.get(id);
    return transfer === undefined ? [] : transferRow(transfer, widths, look.glyphs, unit);
  });
  while (lines.length < Math.min(view.rowsKept, most)) lines.push([]);
  if (!hasMore) return lines;
  const more = `  and ${active - view.rows.length} more`;
  return [...lines.slice(0, most - 1), [span(cut(more, size.columns), 'dim')]];
}

function troubleLines(
  state: ProgressState,
  view: ViewState,
  { size, look }: ViewStyle,
  nowMs: number,
): Line[] {
  const { glyphs } = look;
  const lines: Line[] = [];
  const { setback, throttled, retried } = view;
  if (setback !== undefined && nowMs < setback.untilMs + SETBACK_SHOWN_MS) {
    const wait = Math.max(0, setback.untilMs - nowMs);
    const waits = wait > 0 ? `, waiting ${(wait / 1000).toFixed(1)} s` : '';
    const [word, times] =
      setback.why === 'throttled' ? ['throttled', throttled] : ['retries', retried];
    const text = `! ${word} (${times}${waits}): ${harmless(setback.what)}`;
    lines.push([span(cut(text, size.columns, glyphs.ellipsis), 'warn')]);
  }
  if (state.errors > 0) {
    const count = `${glyphs.cross} ${state.errors} ${state.errors === 1 ? 'error' : 'errors'}: `;
    const { lastError } = state;
    const about =
      lastError?.path === undefined || lastError.message.includes(lastError.path)
        ? ''
        : `${lastError.path}: `;
    const last = harmless(about + (lastError?.message ?? ''));
    lines.push([
      span(count + cut(last, Math.max(8, size.columns - cellWidth(count)), glyphs.ellipsis), 'bad'),
    ]);
  }
  return lines;
}

function keyLines(
  { hasKeys, mode, isPaused, isStopping, width }: ViewControls,
  { size, look }: ViewStyle,
): Line[] {
  if (!hasKeys) return [];
  if (mode.kind === 'limit') {
    const question = 'limit (500k, 10M, off): ';
    const typedText = cutLeft(
      harmless(mode.edited.text),
      Math.max(4, size.columns - cellWidth(question) - 1),
    );
    const complaint = mode.complaint === undefined ? '' : `  ${mode.complaint}`;
    const room = size.columns - cellWidth(question) - cellWidth(typedText) - 1;
    return [
      [
        span(question, 'accent', true),
        span(`${typedText}_`),
        span(room > 8 ? cut(complaint, room) : '', 'bad'),
      ],
    ];
  }
  if (isStopping) {
    const text = 'finishing the current files; Ctrl-C stops now';
    return [[span(cut(text, size.columns, look.glyphs.ellipsis), 'warn')]];
  }
  const words: Readonly<Record<string, string>> = {
    p: isPaused ? 'resume' : 'pause',
    '+ -': width > 0 ? `transfers ${width}` : 'transfers',
  };
  const parts = footerKeys(viewKeys('run', isStopping)).map(({ keys, does }, at) => ({
    rank: keys === '?' ? 0 : at + 1,
    spans: [span(keys, 'accent', true), span(` ${words[keys] ?? does}`, 'dim')],
  }));
  return [fitParts(parts, size.columns, ` ${look.glyphs.separator} `)];
}

function helpLines({ isStopping }: ViewControls, { size, look }: ViewStyle): Line[] {
  const hints = helpKeys(viewKeys('help', isStopping));
  const width = Math.max(...hints.map(({ keys }) => cellWidth(keys)));
  return hints.map(({ keys, does }) => [
    span(`  ${' '.repeat(width - cellWidth(keys))}${keys}`, 'accent', true),
    span(`  ${cut(does, Math.max(0, size.columns - width - 4), look.glyphs.ellipsis)}`),
  ]);
}

/** How the width of a line is shared out: the name gets what is left, the bar goes first where there is little. */
function rowWidths(columns: number): RowWidths {
  const room = columns - 2 - PERCENT - 1;
  const bars = columns >= 64 ? Math.min(WIDEST_BAR, Math.floor(columns / 5)) : 0;
  const rate = columns >= 36 ? RATE : 0;
  const time = columns >= 48 ? TIME : 0;
  const taken = [bars, rate, time].reduce((sum, width) => sum + (width > 0 ? width + 1 : 0), 0);
  return { name: Math.max(1, room - taken), bar: bars, rate, time };
}

/** One line for a transfer: its name cut in the middle, a bar, percentage, speed, and how long it will take. */
function transferRow(
  transfer: ActiveTransfer,
  widths: RowWidths,
  glyphs: Glyphs,
  unit: 'bytes' | 'bits',
): Line {
  const { path, bytes, size, kind } = transfer;
  const share = size > 0 ? Math.min(1, bytes / size) : 0;
  const name = fill(cutMiddle(harmless(path), widths.name, glyphs.ellipsis), widths.name);
  const isOpen = kind !== 'copy' && bytes === 0;
  const rate = isOpen ? WORDS[kind] : shortRate(transfer.rate, unit);
  const left = secondsLeft(bytes, size, transfer.rate);
  const time = left === undefined || isOpen ? '-' : shortTime(left);
  const column = (text: string, width: number) => (width === 0 ? '' : ` ${text.padStart(width)}`);
  return [
    span(`  ${name}`),
    ...(widths.bar === 0 ? [] : [span(' '), ...bar(share, widths.bar, glyphs)]),
    span(` ${(isOpen ? '' : `${Math.trunc(share * 100)}%`).padStart(PERCENT)}`),
    span(column(rate, widths.rate), 'dim'),
    span(column(time, widths.time), 'dim'),
  ];
}
