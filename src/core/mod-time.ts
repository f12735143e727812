/**
 * Nanoseconds since 1970-01-01T00:00:00Z. A `bigint`, because a number of milliseconds cannot hold the nanoseconds of
 * Linux file systems and rclone's S3 metadata.
 */
export type ModTime = bigint;

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

/** Nanoseconds from milliseconds since the epoch, as `Date.now()` and `Date.parse` give them. */
export function modTimeFromMs(ms: number): ModTime {
  const whole = Math.floor(ms);
  if (whole === ms) return BigInt(whole) * NS_PER_MS;
  return BigInt(whole) * NS_PER_MS + BigInt(Math.round((ms - whole) * 1e6));
}

/** Milliseconds since the epoch, rounded down. */
export const modTimeToMs = (time: ModTime): number => Number(floorDiv(time, NS_PER_MS));

/**
 * An entry as the whole run sees it: with `--use-server-modtime` a file has the time at which the server stored it.
 * Its copy gets that time too, as in rclone.
 */
export function asSeen<E extends { readonly modTime?: ModTime; readonly storedTime?: ModTime }>(
  entry: E,
  useServerModTime: boolean | undefined,
): E {
  if (!useServerModTime || entry.storedTime === undefined) return entry;
  return { ...entry, modTime: entry.storedTime };
}

/** The earliest second in which a call of `tookMs` with a response at `toldAt` (server's clock) can have written. */
export function writtenSince(toldAt: ModTime | undefined, tookMs: number): ModTime | undefined {
  if (toldAt === undefined) return undefined;
  return modTimeFromMs(Math.floor((modTimeToMs(toldAt) - Math.max(0, tookMs)) / 1000) * 1000);
}

/** Whole seconds and the remaining nanoseconds (0 to 999,999,999), also for times before 1970. */
export function splitModTime(time: ModTime): { seconds: number; nanoseconds: number } {
  const seconds = floorDiv(time, NS_PER_SECOND);
  return { seconds: Number(seconds), nanoseconds: Number(time - seconds * NS_PER_SECOND) };
}

/** Joins what `splitModTime` parts. */
export function joinModTime(seconds: number, nanoseconds: number): ModTime {
  return BigInt(seconds) * NS_PER_SECOND + BigInt(nanoseconds);
}

/** Seconds with up to nine decimals and no trailing zeros (`1700000000.5`), as rclone keeps times in S3 metadata. */
export function formatDecimalSeconds(time: ModTime): string {
  const sign = time < 0n ? '-' : '';
  const magnitude = time < 0n ? -time : time;
  const decimals = String(magnitude % NS_PER_SECOND).padStart(9, '0');
  const fraction = decimals.replace(/0+$/, '');
  const whole = `${sign}${magnitude / NS_PER_SECOND}`;
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Reads the format of `formatDecimalSeconds`; decimals past the ninth are cut. `undefined` for other text. */
export function parseDecimalSeconds(text: string): ModTime | undefined {
  const match = /^([+-]?)(\d{1,15})(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) return undefined;
  const fraction = match[3] ?? '';
  const magnitude =
    BigInt(match[2] ?? '0') * NS_PER_SECOND + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return match[1] === '-' ? -magnitude : magnitude;
}

/** Whether two times differ by less than `windowNs`, as rclone compares them (`--modify-window`). */
export function sameModTime(a: ModTime, b: ModTime, windowNs: bigint): boolean {
  const difference = a - b;
  return difference < windowNs && difference > -windowNs;
}

/** What file systems cut times to, in nanoseconds: NTFS and SMB, exFAT, HFS+ and ext3, FAT. */
const CUTS_NS = [100n, 10_000_000n, 1_000_000_000n, 2_000_000_000n];

/** Whether a time may be what a disk kept of another one that was set. */
export function isCutOf(kept: ModTime, time: ModTime): boolean {
  const apart = time < kept ? kept - time : time - kept;
  return CUTS_NS.some((cut) => kept % cut === 0n && apart < cut);
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** Reads RFC 3339 with a zone; decimals past the ninth are cut. `undefined` for other text and days that do not exist. */
export function parseRfc3339(text: string): ModTime | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text);
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
  const { seconds, nanoseconds } = splitModTime(time);
  const offset = -Math.round(new Date(seconds * 1000).getTimezoneOffset());
  return dateTime(seconds + offset * 60, nanoseconds) + zoneText(offset);
}

/** As `formatRfc3339Nano`, in UTC. */
export function formatRfc3339NanoUtc(time: ModTime): string {
  const { seconds, nanoseconds } = splitModTime(time);
  return `${dateTime(seconds, nanoseconds)}Z`;
}

/** Date and time of RFC 3339, with as many decimals as needed, without the zone. */
function dateTime(seconds: number, nanoseconds: number): string {
  const toSecond = new Date(seconds * 1000).toISOString().slice(0, -5);
  if (nanoseconds === 0) return toSecond;
  const digits = String(nanoseconds).padStart(9, '0');
  return `${toSecond}.${digits.endsWith('0') ? digits.replace(/0+$/, '') : digits}`;
}

/** The zone of RFC 3339 this many minutes ahead of UTC: `+01:00`, `Z`. */
export function zoneText(minutes: number): string {
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
  const lastOfMonth = new Date(0);
  lastOfMonth.setUTCFullYear(year, month, 0);
  if (month < 1 || month > 12 || day < 1 || day > lastOfMonth.getUTCDate()) return undefined;
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
