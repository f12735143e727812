import { SyncerError } from '../core/errors.ts';
import { parseDateTime } from '../core/mod-time.ts';
import { parseGoFloat } from './go-float.ts';

/** A duration that is switched off: longer than any. */
export const DURATION_OFF = Number.POSITIVE_INFINITY;

/** A second, in milliseconds. */
export const SECOND = 1000;
/** A minute, likewise. */
export const MINUTE = 60 * SECOND;
/** An hour. */
export const HOUR = 60 * MINUTE;
/** A day. */
export const DAY = 24 * HOUR;

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
export const LONG_UNITS: readonly (readonly [string, number])[] = [
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
  const duration = parseGoDuration(text) ?? parseLongUnits(text);
  if (duration !== undefined) return duration;
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

function parseLongUnits(text: string): number | undefined {
  const [name, unit] = LONG_UNITS.find(([suffix]) => text.endsWith(suffix)) ?? ['', SECOND];
  const value = parseGoFloat(text.slice(0, text.length - name.length));
  return value === undefined ? undefined : value * unit + 0;
}
