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
 * RFC 3339 in local time with as many decimals as needed, as Go's `RFC3339Nano`: `2006-01-02T15:04:05.5+01:00`; `Z`
 * for UTC.
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

const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:([T ])(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * A date, or a date and time, as rclone takes them for an age: `2020-01-31`, `2020-01-31 10:00:00`,
 * `2020-01-31T10:00:00`, the last also with a zone (`Z`, `+02:00`); with fractions of a second. Without a zone it is
 * local time. In milliseconds since the epoch; `undefined` for other text and dates that do not exist.
 */
export function parseDateTime(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0] = match.slice(1, 4).map(Number);
  const [hour = 0, minute = 0, second = 0] = match.slice(5, 8).map((part) => Number(part ?? 0));
  const zone = match[9];
  if (zone !== undefined && match[4] === ' ') return undefined;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = zoneOffsetMinutes(zone);
  if (offset === undefined) return undefined;
  const fractionMs = Number(`0.${match[8] ?? '0'}`) * 1000;
  const date = new Date(0);
  if (zone === undefined) {
    date.setFullYear(year, month - 1, day);
    date.setHours(hour, minute, second, 0);
  } else {
    date.setUTCFullYear(year, month - 1, day);
    date.setUTCHours(hour, minute - offset, second, 0);
  }
  return date.getTime() + fractionMs;
}

function zoneOffsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 24 || minutes > 60) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function daysInMonth(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}
