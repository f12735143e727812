const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:([T ])(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * A date, or a date and time, in the forms that rclone takes for an age: `2020-01-31`,
 * `2020-01-31T10:00:00`, `2020-01-31 10:00:00`, and with `T` also a zone (`Z`, `+02:00`); fractions of a
 * second may follow. Without a zone it is local time. Gives milliseconds since the epoch, `undefined` for
 * other text and for days and hours that do not exist.
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
