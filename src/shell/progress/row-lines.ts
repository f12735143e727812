import { figure, harmless } from '../../core/shown-text.ts';
import { bar } from '../../terminal/bar.ts';
import { cut, cutMiddle, fill } from '../../terminal/cells.ts';
import type { Glyphs, Look } from '../../terminal/look.ts';
import type { Size } from '../../terminal/screen-model.ts';
import { type Line, span } from '../../terminal/span.ts';
import {
  type ActiveTransfer,
  isHashing,
  type ProgressState,
  secondsLeft,
} from './progress-state.ts';
import { shortRate, shortTime } from './short-size.ts';
import { assignRows, foldedTransfers, type Setback, type ViewState } from './view-state.ts';

/** The column of the percentage. */
const PERCENT = 4;

export interface ViewStyle {
  readonly size: Size;
  readonly look: Look;
  readonly unit: 'bytes' | 'bits';
}

/** A run as lines that are cut to the width of the terminal. */
export type RunOverview = (style: ViewStyle) => readonly Line[];

type RowWidths = ReturnType<typeof rowWidths>;

/** At most `most` lines for what is going on: a row for each transfer, and one for all small files together. */
export function rowLines(
  state: ProgressState,
  view: ViewState,
  { size, look, unit }: ViewStyle,
  most: number,
  nowMs: number,
  isPaused: boolean,
): Line[] {
  const folded = foldedTransfers(view, state, nowMs);
  const widths = rowWidths(size.columns);
  const fold = folded.size === 0 ? [] : [foldRow(view, folded.size, widths, look.glyphs, isPaused)];
  const others = state.active.size - folded.size;
  const room = Math.max(0, most - fold.length);
  const hasMore = others > room && room > 1;
  assignRows(view, state, hasMore ? room - 1 : room, folded);
  const lines: Line[] = [
    ...fold,
    // No transfer starts during a pause, which would fill the gaps.
    ...view.rows
      .filter((id) => id !== undefined || !isPaused)
      .map((id) => {
        const transfer = id === undefined ? undefined : state.active.get(id);
        if (transfer === undefined) return [];
        const status = stateText(transfer, view.waits.get(transfer.id), widths, nowMs);
        return transferRow(transfer, status, widths, look.glyphs, isPaused ? undefined : unit);
      }),
  ].slice(0, most);
  view.rowsKept = Math.min(most, Math.max(view.rowsKept, lines.length));
  while (lines.length < Math.min(view.rowsKept, most)) lines.push([]);
  if (!hasMore) return lines;
  const more = `  and ${others - view.rows.length} more`;
  return [...lines.slice(0, most - 1), [span(cut(more, size.columns), 'dim')]];
}

/** How the width of a line is shared out: the name gets what is left, the bar goes first where there is little. */
function rowWidths(columns: number) {
  const bar = columns >= 64 ? Math.min(24, Math.floor(columns / 5)) : 0;
  const rate = columns >= 36 ? 10 : 0;
  const time = columns >= 48 ? 6 : 0;
  /** All columns but the name, with the blanks before each. */
  const rest = [PERCENT, bar, rate, time].reduce((sum, width) => sum + (width && width + 1), 0);
  return { name: Math.max(1, columns - 2 - rest), bar, rate, time, rest };
}

/** What keeps a transfer from passing bytes; `''`: nothing. */
function stateText(
  transfer: ActiveTransfer,
  wait: Setback | undefined,
  { rest }: RowWidths,
  nowMs: number,
): string {
  if (isHashing(transfer)) {
    const text = `checksum ${Math.trunc((transfer.hashed / transfer.size) * 100)}%`;
    return rest > text.length + 'reading '.length ? `reading ${text}` : text;
  }
  if (wait === undefined || wait.untilMs <= nowMs) return '';
  const word = wait.why === 'throttled' ? 'throttled,' : 'retry in';
  return `${word} ${Math.ceil((wait.untilMs - nowMs) / 1000)} s`;
}

/** One line for all small files: the directory they are in, if there is one, their number and how fast they go. */
function foldRow(
  { fold, fileRate }: ViewState,
  files: number,
  { name, rest }: RowWidths,
  { ellipsis }: Glyphs,
  isPaused: boolean,
): Line {
  const rate = isPaused ? 0 : Math.round(fileRate);
  const count = `${files} small ${files === 1 ? 'file' : 'files'}`;
  const speed = rate === 0 ? '' : `${figure(rate)} files/s`;
  const text = [count, speed].filter((part) => part !== '').join(', ');
  const [left, right] = fold.dir === '' ? [count, speed] : [harmless(fold.dir), text];
  const shown = right.length < rest ? right : cut(count, Math.max(0, rest - 1), ellipsis);
  return [
    span(`  ${fill(cutMiddle(left, name, ellipsis), name)}`),
    span(shown.padStart(rest), 'dim'),
  ];
}

/**
 * One line for a transfer: its name cut in the middle, a bar, percentage, speed, and how long it will take; without a
 * unit neither of these two.
 */
function transferRow(
  transfer: ActiveTransfer,
  status: string,
  widths: RowWidths,
  glyphs: Glyphs,
  unit: 'bytes' | 'bits' | undefined,
): Line {
  const { path, bytes, size, kind } = transfer;
  const name = fill(cutMiddle(harmless(path), widths.name, glyphs.ellipsis), widths.name);
  if (status !== '') {
    const text = cut(status, Math.max(0, widths.rest - 1), glyphs.ellipsis);
    return [
      span(`  ${name}`),
      span(text.padStart(widths.rest), isHashing(transfer) ? 'dim' : 'warn'),
    ];
  }
  const share = size > 0 ? Math.min(1, bytes / size) : 0;
  const isOpen = kind !== 'copy' && bytes === 0;
  const speed = unit === undefined || transfer.rate === 0 ? '-' : shortRate(transfer.rate, unit);
  const rate = isOpen ? (kind === 'check' ? 'checking' : 'in store') : speed;
  const left = secondsLeft(bytes, size, transfer.rate);
  const time = left === undefined || isOpen || unit === undefined ? '-' : shortTime(left);
  const column = (text: string, width: number) => (width === 0 ? '' : ` ${text.padStart(width)}`);
  return [
    span(`  ${name}`),
    ...(widths.bar === 0 ? [] : [span(' '), ...bar(share, widths.bar, glyphs)]),
    span(` ${(isOpen ? '' : `${Math.trunc(share * 100)}%`).padStart(PERCENT)}`),
    span(column(rate, widths.rate), 'dim'),
    span(column(time, widths.time), 'dim'),
  ];
}
