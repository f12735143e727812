import { figure } from '../core/shown-text.ts';
import { localTime } from './time-texts.ts';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] as const;

/** A size in at most nine columns: `512   B`, `12.3 MiB`; with `exact` all its digits with commas. */
export function sizeText(bytes: number, exact = false): string {
  if (exact) return figure(bytes);
  let power = 0;
  let value = bytes;
  while (value >= 999.95 && power < UNITS.length - 1) {
    value /= 1024;
    power++;
  }
  const digits = power === 0 ? String(Math.round(value)) : value.toFixed(1);
  return `${digits} ${(UNITS[power] ?? '').padStart(3)}`;
}

/** A size in running text, without blanks for columns: `512 B`. */
export const plainSize = (bytes: number): string => sizeText(bytes).replace(/ +/, ' ');

/** A number in at most five columns: `999`, `12.3k`. */
export function shortCount(count: number): string {
  if (count < 10_000) return String(Math.round(count));
  for (const [unit, letter] of [
    [1e3, 'k'],
    [1e6, 'M'],
    [1e9, 'G'],
  ] as const) {
    const value = count / unit;
    if (value < 999.95) return `${value < 100 ? value.toFixed(1) : value.toFixed(0)}${letter}`;
  }
  return '>1T';
}

/** A time to the minute, in local time, sixteen columns; blanks where it is not known. */
export function timeText(timeMs: number): string {
  const text = localTime(timeMs);
  return text.includes('NaN') ? ' '.repeat(16) : text.slice(0, -3);
}

/** How long something took: `0:07`, `1:02:03`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const end = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${end}` : `${minutes}:${end}`;
}

/** A price: two decimals, without them from 100,000 on. */
export function costText(cost: number): string {
  if (Number.isNaN(cost)) return '?';
  if (cost > 0 && cost < 0.005) return '<0.01';
  return cost < 100_000 ? cost.toFixed(2) : figure(Math.round(cost));
}
