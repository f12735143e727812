import { modTimeFromMs } from '../core/mod-time.ts';
import { DAY, DURATION_OFF, HOUR, LONG_UNITS, MINUTE, SECOND } from './duration.ts';

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
