import { SyncerError } from '../core/errors.ts';
import { formatThousandths, parseGoFloat } from './go-float.ts';

/** The value of a size that is switched off: no limit. */
export const SIZE_OFF = -1;

const LARGEST = 2 ** 63;
const UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const COUNT_UNITS = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const;

/**
 * Reads a size as rclone's flags and options do. A bare number is KiB; `B` is bytes; `K`, `M`, `G`, `T`,
 * `P`, `E`, also as `Ki` or `KiB`, in any case, are powers of 1024. Decimals are allowed. `off` is -1.
 *
 * Gives whole bytes, rounded down. Throws `usage` for anything else, also for a size of 8 EiB or more
 * (which rclone silently takes for `off`).
 */
export function parseByteSize(text: string): number {
  if (text.toLowerCase() === 'off') return SIZE_OFF;
  const { number, multiplier } = splitUnit(text);
  const value = parseGoFloat(number);
  if (value === undefined) throw notASize(text);
  if (value < 0) throw new SyncerError('usage', `a size cannot be negative: "${text}"`);
  const bytes = Math.trunc(value * multiplier) + 0;
  if (bytes >= LARGEST) throw new SyncerError('usage', `size too large: "${text}" (below 8Ei)`);
  return bytes;
}

function splitUnit(text: string): { number: string; multiplier: number } {
  if (/[\d.]$/.test(text)) return { number: text, multiplier: 1024 };
  const match = /^(.*?)(?:([kmgtpe])(?:ib?)?|b)$/is.exec(text);
  if (match === null) throw notASize(text);
  const [, number = '', letter = ''] = match;
  return {
    number,
    multiplier: 1024 ** (letter === '' ? 0 : 'kmgtpe'.indexOf(letter.toLowerCase()) + 1),
  };
}

function notASize(text: string): SyncerError {
  return new SyncerError('usage', `not a size: "${text}" (examples: 500B, 10k, 1.5M, 2Gi, off)`);
}

/** A size as rclone prints it in listings and settings: `1023`, `1.500Mi`, `1Gi`, `off`. */
export function formatSize(bytes: number): string {
  return bytes < 0 ? 'off' : scale(bytes, 1024, UNITS).join('');
}

/** A size with its unit: `2.268 KiB`, `1023 B`, `0 B`, `off`; `per` is put behind: `1 MiB/s`. */
export function formatSizeUnit(bytes: number, per = ''): string {
  if (bytes < 0) return 'off';
  const [value, unit] = scale(bytes, 1024, UNITS);
  return `${value} ${unit}B${per}`;
}

/** A number of things with a decimal unit: `999`, `1k`, `1.001k`, `2.500M`. */
export function formatCount(count: number): string {
  return count < 0 ? 'off' : scale(count, 1000, COUNT_UNITS).join('');
}

function scale(value: number, base: number, units: readonly string[]): [string, string] {
  let power = 0;
  while (power < units.length - 1 && value >= base ** (power + 1)) power++;
  const scaled = value / base ** power;
  const text = Number.isInteger(scaled) ? String(scaled) : formatThousandths(scaled);
  return [text, units[power] ?? ''];
}
