const TOKENS =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|0[1-6]|15|1|2006|2|__2|_2006|_2|[345]|PM|pm|[-Z]07(?:0000|:00:00|00|:00)?|[.,](?:0+|9+)(?!\d)/g;

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** The layouts that rclone's `--time-format` has names for: those of Go's package `time`. */
const NAMED: Readonly<Record<string, string>> = {
  Layout: "01/02 03:04:05PM '06 -0700",
  ANSIC: 'Mon Jan _2 15:04:05 2006',
  UnixDate: 'Mon Jan _2 15:04:05 MST 2006',
  RubyDate: 'Mon Jan 02 15:04:05 -0700 2006',
  RFC822: '02 Jan 06 15:04 MST',
  RFC822Z: '02 Jan 06 15:04 -0700',
  RFC850: 'Monday, 02-Jan-06 15:04:05 MST',
  RFC1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  RFC1123Z: 'Mon, 02 Jan 2006 15:04:05 -0700',
  RFC3339: '2006-01-02T15:04:05Z07:00',
  RFC3339Nano: '2006-01-02T15:04:05.999999999Z07:00',
  Kitchen: '3:04PM',
  Stamp: 'Jan _2 15:04:05',
  StampMilli: 'Jan _2 15:04:05.000',
  StampMicro: 'Jan _2 15:04:05.000000',
  StampNano: 'Jan _2 15:04:05.000000000',
  DateTime: '2006-01-02 15:04:05',
  DateOnly: '2006-01-02',
  TimeOnly: '15:04:05',
};

/** The layout of a name such as `RFC3339` or `DateOnly`; another text is a layout itself. */
export function namedGoLayout(name: string): string {
  return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? name) : name;
}

/**
 * A time in local time by a layout of Go's `time.Format`: `2006/01/02 15:04:05`.
 *
 * @param timeMs milliseconds since the epoch
 * @param nanoseconds of the second, 0 to 999,999,999
 */
export function formatByGoLayout(
  timeMs: number,
  layout: string,
  nanoseconds: number = new Date(timeMs).getMilliseconds() * 1_000_000,
): string {
  const time = new Date(timeMs);
  return layout.replace(TOKENS, (token) => {
    const text = TEXTS[token]?.(time);
    if (text !== undefined) return text;
    if (!/^[.,]/.test(token)) return zoneOffset(time, token);
    // `.000` has all digits, `.999` leaves zeros at the end out.
    const digits = padded(nanoseconds, 9).slice(0, token.length - 1);
    const shown = token[1] === '0' ? digits : digits.replace(/0+$/, '');
    return shown === '' ? '' : token[0] + shown;
  });
}

/** The texts of the tokens, except those of a fraction and of a zone's offset. */
const TEXTS: Readonly<Record<string, (time: Date) => string>> = {
  January: (time) => MONTHS[time.getMonth()] ?? '',
  Jan: (time) => (MONTHS[time.getMonth()] ?? '').slice(0, 3),
  '01': (time) => padded(time.getMonth() + 1),
  '1': (time) => String(time.getMonth() + 1),
  Monday: (time) => DAYS[time.getDay()] ?? '',
  Mon: (time) => (DAYS[time.getDay()] ?? '').slice(0, 3),
  '02': (time) => padded(time.getDate()),
  _2: (time) => padded(time.getDate(), 2, ' '),
  '2': (time) => String(time.getDate()),
  '002': (time) => padded(dayOfYear(time), 3),
  __2: (time) => padded(dayOfYear(time), 3, ' '),
  '15': (time) => padded(time.getHours()),
  '03': (time) => padded(time.getHours() % 12 || 12),
  '3': (time) => String(time.getHours() % 12 || 12),
  '04': (time) => padded(time.getMinutes()),
  '4': (time) => String(time.getMinutes()),
  '05': (time) => padded(time.getSeconds()),
  '5': (time) => String(time.getSeconds()),
  '06': (time) => padded(time.getFullYear() % 100),
  '2006': (time) => padded(time.getFullYear(), 4),
  _2006: (time) => `_${padded(time.getFullYear(), 4)}`,
  PM: (time) => (time.getHours() >= 12 ? 'PM' : 'AM'),
  pm: (time) => (time.getHours() >= 12 ? 'pm' : 'am'),
  MST: (time) => {
    const parts = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(time);
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  },
};

function padded(value: number, width = 2, filler = '0'): string {
  return String(value).padStart(width, filler);
}

function dayOfYear(time: Date): number {
  const year = time.getFullYear();
  const ms = Date.UTC(year, time.getMonth(), time.getDate()) - Date.UTC(year, 0, 0);
  return Math.round(ms / 86_400_000);
}

function zoneOffset(time: Date, token: string): string {
  const minutes = -time.getTimezoneOffset();
  if (token.startsWith('Z') && minutes === 0) return 'Z';
  const size = Math.abs(minutes);
  const parts = [padded(Math.trunc(size / 60)), padded(size % 60), '00'];
  const shown = token.replace(/\D/g, '').length / 2;
  const sign = minutes < 0 ? '-' : '+';
  return sign + parts.slice(0, shown).join(token.includes(':') ? ':' : '');
}
