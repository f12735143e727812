import { SyncerError } from '../core/errors.ts';
import { modTimeFromMs, parseDateTime } from '../core/mod-time.ts';
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

/** A duration that is switched off: longer than any. */
export const DURATION_OFF = Number.POSITIVE_INFINITY;

/** A second, in milliseconds. */
const SECOND = 1000;
/** A minute, likewise. */
const MINUTE = 60 * SECOND;
/** An hour. */
const HOUR = 60 * MINUTE;
/** A day. */
const DAY = 24 * HOUR;

const GO_UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: SECOND,
  m: MINUTE,
  h: HOUR,
};

/** rclone's own units, largest first as they are printed. A month has 30 days, a year 365. */
const LONG_UNITS: readonly (readonly [string, number])[] = [
  ['y', 365 * DAY],
  ['M', 30 * DAY],
  ['w', 7 * DAY],
  ['d', DAY],
];

/**
 * Reads a duration as rclone's flags do, in milliseconds (with fractions): a bare number is seconds;
 * `ms s m h` may be chained (`1h30m`); `d w M y` stand alone (`1.5d`); a date or time
 * (`2020-01-31`, `2020-01-31T10:00:00`, `…Z`, local where it names no zone) means the time since then,
 * counted from `nowMs`, and is negative in the future; `off` is `Infinity`. Throws `usage` for other text.
 */
export function parseDuration(text: string, nowMs: number): number {
  if (text === 'off') return DURATION_OFF;
  const duration = parseGoDuration(text);
  if (duration !== undefined) return duration;
  const [name, unit] = LONG_UNITS.find(([suffix]) => text.endsWith(suffix)) ?? ['', SECOND];
  const value = parseGoFloat(text.slice(0, text.length - name.length));
  if (value !== undefined) return value * unit + 0;
  const instant = parseDateTime(text);
  if (instant !== undefined) return nowMs - instant;
  throw new SyncerError(
    'usage',
    `not a duration: "${text}" (examples: 30, 90s, 1h30m, 7d, 2w, 1M, 1y, 2020-01-31, off)`,
  );
}

/** Go's `time.ParseDuration`: `[-+]` and numbers with units, or `0`. */
function parseGoDuration(text: string): number | undefined {
  const [, sign, rest = ''] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') return 0;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined;
  let total = 0;
  for (const [, number = '', unit = ''] of rest.matchAll(/([\d.]+)([^\d.]+)/g)) {
    total += Number(number) * (GO_UNITS[unit] ?? Number.NaN);
  }
  return sign === '-' ? -total : total;
}

const NS_PER_SECOND = 1_000_000_000n;

/** A duration as rclone shows the value of a flag: `90s` is `1m30s`, `36h` is `1.5d`, `off`. */
export function formatDuration(ms: number): string {
  if (ms === DURATION_OFF) return 'off';
  const long = LONG_UNITS.find(([, unit]) => Math.abs(ms) >= unit);
  return long === undefined ? formatGoDuration(modTimeFromMs(ms)) : `${ms / long[1]}${long[0]}`;
}

/** Nanoseconds as Go prints a duration: `0s`, `1.5ms`, `1m30s`, `1h2m3.4s`, `26h0m0s`. */
export function formatGoDuration(ns: bigint): string {
  const sign = ns < 0n ? '-' : '';
  const magnitude = ns < 0n ? -ns : ns;
  if (magnitude === 0n) return '0s';
  if (magnitude < 1000n) return `${sign}${magnitude}ns`;
  if (magnitude < 1_000_000n) return `${sign}${decimals(magnitude, 3)}µs`;
  if (magnitude < NS_PER_SECOND) return `${sign}${decimals(magnitude, 6)}ms`;
  const minutes = magnitude / (60n * NS_PER_SECOND);
  const seconds = decimals(magnitude % (60n * NS_PER_SECOND), 9);
  if (minutes >= 60n) return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}s`;
  return minutes > 0n ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`;
}

/** `value` with the point moved `places` to the left, without trailing zeros. */
function decimals(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  const whole = digits.slice(0, -places);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** A duration for people, as rclone's estimates show it: `1w2d3h4m5s6ms`, zero parts left out, `0s`, `off`. */
export function formatReadableDuration(ms: number): string {
  if (ms === DURATION_OFF) return 'off';
  const total = Math.floor(Math.abs(ms));
  const days = Math.floor(total / DAY);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(days / 365), 'y'],
    [Math.floor((days % 365) / 7), 'w'],
    [(days % 365) % 7, 'd'],
    [Math.floor(total / HOUR) % 24, 'h'],
    [Math.floor(total / MINUTE) % 60, 'm'],
    [Math.floor(total / SECOND) % 60, 's'],
    [total % SECOND, 'ms'],
  ];
  const text = parts.map(([value, unit]) => (value === 0 ? '' : `${value}${unit}`)).join('');
  if (text === '') return '0s';
  return ms < 0 ? `-${text}` : text;
}
