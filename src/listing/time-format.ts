import { type ModTime, modTimeToMs, splitModTime, zoneText } from '../core/mod-time.ts';
import { formatByGoLayout, namedGoLayout } from '../go/format-by-go-layout.ts';

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `2006-01-02 15:04:05` in local time. */
export function formatDateTime(time: ModTime): string {
  const date = new Date(modTimeToMs(time));
  return `${dateOf(date)} ${clockOf(date)}`;
}

/** `2006-01-02 15:04:05.000000000` in local time, always nine digits. */
export function formatDateTimeNs(time: ModTime): string {
  return `${formatDateTime(time)}.${nineDigits(time)}`;
}

/** `Jan 02 15:04` in local time; `Jan 02  2006` in another year than that of `now`. */
export function formatMonthDay(time: ModTime, now: ModTime): string {
  const date = new Date(modTimeToMs(time));
  const year = date.getFullYear();
  const isThisYear = year === new Date(modTimeToMs(now)).getFullYear();
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const last = isThisYear ? clock : ` ${year}`;
  return `${MONTHS[date.getMonth()]} ${two(date.getDate())} ${last}`;
}

/**
 * RFC 3339 in local time with `digits` (0 to 9) of the second's fraction, the rest cut off:
 * `2006-01-02T15:04:05.000000000+01:00`, `Z` where local time is UTC.
 */
export function formatRfc3339(time: ModTime, digits: number): string {
  const date = new Date(modTimeToMs(time));
  const fraction = digits === 0 ? '' : `.${nineDigits(time).slice(0, digits)}`;
  return `${dateOf(date)}T${clockOf(date)}${fraction}${zoneText(-Math.round(date.getTimezoneOffset()))}`;
}

/** As `formatRfc3339`, in UTC. */
export function formatRfc3339Utc(time: ModTime, digits: number): string {
  const toSecond = new Date(modTimeToMs(time)).toISOString().slice(0, -5);
  const fraction = digits === 0 ? '' : `.${nineDigits(time).slice(0, digits)}`;
  return `${toSecond}${fraction}Z`;
}

/** How many digits of a second's fraction times in a precision of `precision` nanoseconds have; none without times. */
export function fractionDigits(precision: bigint | undefined): number {
  if (precision === undefined) return 0;
  let digits = 9;
  for (let step = 1n; step < precision && digits > 0; step *= 10n) digits--;
  return digits;
}

/**
 * The format that `--time-format` names: a layout of Go or its name, `unix` and `unixnano` for seconds and nanoseconds
 * since 1970, `max` for as many digits as times in a precision of `precision` nanoseconds have; `''`: to the second.
 */
export function timeFormat(name: string, precision: bigint | undefined): (time: ModTime) => string {
  if (name === '') return formatDateTime;
  if (name === 'unix') return (time) => String(splitModTime(time).seconds);
  if (name === 'unixnano') return String;
  if (name === 'max') {
    const digits = fractionDigits(precision);
    return digits === 0
      ? formatDateTime
      : (time) => formatDateTimeNs(time).slice(0, digits - 9 || undefined);
  }
  const layout = namedGoLayout(name);
  return (time) => formatByGoLayout(modTimeToMs(time), layout, splitModTime(time).nanoseconds);
}

function dateOf(date: Date): string {
  const year = String(date.getFullYear()).padStart(4, '0');
  return `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function clockOf(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function nineDigits(time: ModTime): string {
  return String(splitModTime(time).nanoseconds).padStart(9, '0');
}

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));
