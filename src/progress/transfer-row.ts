import { harmless } from '../core/harmless.ts';
import { bar } from '../screen/bar.ts';
import { cutMiddle, fill } from '../screen/cells.ts';
import type { Glyphs } from '../screen/look.ts';
import { type Line, span } from '../screen/span.ts';
import type { ActiveTransfer } from './progress-state.ts';
import { shortRate, shortTime } from './short-size.ts';
import { secondsLeft } from './transfer-rate.ts';

const PERCENT = 4;
const RATE = 10;
const TIME = 6;
const WIDEST_BAR = 24;

/** The widths of the columns of transfers, in a terminal of `columns`. */
export interface RowWidths {
  readonly name: number;
  readonly bar: number;
  readonly rate: number;
  readonly time: number;
}

/** How the width of a line is shared out: the name gets what is left, the bar goes first where there is little. */
export function rowWidths(columns: number): RowWidths {
  const room = columns - 2 - PERCENT - 1;
  const bars = columns >= 64 ? Math.min(WIDEST_BAR, Math.floor(columns / 5)) : 0;
  const rate = columns >= 36 ? RATE : 0;
  const time = columns >= 48 ? TIME : 0;
  const taken = [bars, rate, time].reduce((sum, width) => sum + (width > 0 ? width + 1 : 0), 0);
  return { name: Math.max(1, room - taken), bar: bars, rate, time };
}

/** One line for a transfer: its name cut in the middle, a bar, percentage, speed, and how long it will take. */
export function transferRow(
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
    span(widths.bar === 0 ? '' : ` ${bar(share, widths.bar, glyphs)}`, 'bar'),
    span(` ${(isOpen ? '' : `${Math.trunc(share * 100)}%`).padStart(PERCENT)}`),
    span(column(rate, widths.rate), 'dim'),
    span(column(time, widths.time), 'dim'),
  ];
}

const WORDS = {
  copy: '',
  check: 'checking',
  'server-copy': 'in store',
  'server-move': 'in store',
} as const;
