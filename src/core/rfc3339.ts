import { parseDateTime } from './date-time.ts';
import { type ModTime, modTimeFromMs, modTimeToMs, splitModTime } from './mod-time.ts';

const FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;

/** Reads RFC 3339 with a zone; decimals past the ninth are cut. `undefined` for other text and days that do not exist. */
export function parseRfc3339(text: string): ModTime | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, toSecond = '', fraction = '', zone = ''] = match;
  const ms = parseDateTime(toSecond + zone);
  if (ms === undefined) return undefined;
  return modTimeFromMs(ms) + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

/**
 * RFC 3339 in local time with as many decimals as there are, as Go's `RFC3339Nano`:
 * `2006-01-02T15:04:05.5+01:00`, `Z` where local time is UTC.
 */
export function formatRfc3339Nano(time: ModTime): string {
  const date = new Date(modTimeToMs(time));
  const offset = -Math.round(date.getTimezoneOffset());
  return toSecond(new Date(date.getTime() + offset * 60_000)) + decimals(time) + zone(offset);
}

/** As `formatRfc3339Nano`, in UTC. */
export function formatRfc3339NanoUtc(time: ModTime): string {
  return `${toSecond(new Date(modTimeToMs(time)))}${decimals(time)}Z`;
}

function toSecond(date: Date): string {
  return date.toISOString().slice(0, -5);
}

function decimals(time: ModTime): string {
  const { nanoseconds } = splitModTime(time);
  return nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`;
}

function zone(minutes: number): string {
  if (minutes === 0) return 'Z';
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
