import { SyncerError } from '../../core/errors.ts';
import type { LogEvent, LogLevel } from '../../core/events.ts';
import { zoneText } from '../../core/mod-time.ts';
import { harmlessJson, harmlessLine, harmlessLines } from '../../core/shown-text.ts';
import { messageOf } from './words.ts';

/** One record of the log, before it becomes text or JSON. */
export interface LogRecord {
  readonly timeMs: number;
  readonly level: LogLevel;
  /** The subject of the record: a path, or a remote's title. */
  readonly path?: string;
  readonly message: string;
  /** The message has several lines, none of which can be part of a name. */
  readonly lines?: boolean;
  /** Logged with its causes at level `debug`. */
  readonly error?: SyncerError;
  /** Credentials in the message are to be shown (`--dump auth`). */
  readonly showsSecrets?: boolean;
  /** Further keys for the JSON form. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The event as a record. */
export function recordOf(event: LogEvent, timeMs: number): LogRecord {
  const { level, code, path, fields = {} } = event;
  const shown: { error?: Error | string; lines?: boolean; showsSecrets?: boolean } = fields;
  const { error, lines, showsSecrets } = shown;
  const hasLines = lines === true || code === 'login-device' || code === 'login-browser';
  return {
    timeMs,
    level,
    ...(path === undefined ? {} : { path }),
    message: messageOf(event),
    ...(showsSecrets === true ? { showsSecrets } : {}),
    ...(hasLines ? { lines: true } : {}),
    ...(error instanceof SyncerError ? { error } : {}),
    ...keysOf(event),
  };
}

/** The keys of an event in rclone's JSON log: `skipped`, `size`. */
function keysOf(event: LogEvent): Pick<LogRecord, 'fields'> {
  if (event.code !== 'skipped' && event.code !== 'copied') return {};
  const { size } = event.fields;
  const skipped = event.code === 'skipped' ? { skipped: event.fields.action } : {};
  return { fields: { ...skipped, ...(size < 0 ? {} : { size }) } };
}

/** The levels, loudest first: a level shows itself and those before it. */
const LEVELS: readonly LogLevel[] = ['error', 'notice', 'info', 'debug'];

/** Whether `level` is logged at log level `shown`; at `off` none is. */
export function isShown(level: LogLevel, shown: LogLevel | 'off'): boolean {
  return shown !== 'off' && LEVELS.indexOf(level) <= LEVELS.indexOf(shown);
}

/**
 * The causes of an error, outermost first. One with a code (an errno, an HTTP library's) is external and logged as
 * text; any other may be a bug and is logged with its stack.
 */
export function causesOf(error: Error | undefined): readonly string[] {
  const causes: string[] = [];
  for (let cause = error?.cause; cause !== undefined && causes.length < 8; ) {
    if (!(cause instanceof Error)) return [...causes, String(cause)];
    causes.push('code' in cause ? cause.message : (cause.stack ?? cause.message));
    cause = cause.cause;
  }
  return causes;
}

/**
 * A record as a line of JSON with the keys of rclone 1.75, in its order: `time`, `level`, `msg`, those of `fields`,
 * `object` and `objectType` (if the record has a subject), `pid` if it is given; then `code` and `causes` of an error.
 */
export function formatJsonRecord(
  record: LogRecord,
  causes: readonly string[],
  pid?: number,
): string {
  const { timeMs, level, path, message, error, fields } = record;
  const values = {
    time: isoTime(timeMs),
    level,
    msg: message,
    ...fields,
    ...(path === undefined ? {} : { object: path, objectType: 'string' }),
    ...(pid === undefined ? {} : { pid }),
    ...(error === undefined ? {} : { code: error.code }),
    ...(causes.length === 0 ? {} : { causes }),
  };
  return `${harmlessJson(JSON.stringify(values))}\n`;
}

/** `2026-11-20T10:00:00.123+01:00`, with the local offset; `Z` for UTC. */
function isoTime(timeMs: number): string {
  const offset = -Math.round(new Date(timeMs).getTimezoneOffset());
  return new Date(timeMs + offset * 60_000).toISOString().replace('Z', zoneText(offset));
}

/**
 * A record as a line of text as rclone writes it: `2026/11/20 10:00:00 INFO  : path: message`, with its line end.
 * Times are local. The causes of its error follow on indented lines. Without `showsLevel` the level is omitted.
 */
export function formatTextRecord(
  record: LogRecord,
  causes: readonly string[],
  prefix: LogPrefix,
  showsLevel = true,
): string {
  const { timeMs, level, path, message, lines } = record;
  const about = path === undefined ? '' : `${harmlessLine(path)}: `;
  const shownLevel = showsLevel ? `${level.toUpperCase().padEnd(6)}: ` : '';
  const head = `${prefix(timeMs, level)}${shownLevel}${about}`;
  const beneath = causes
    .flatMap((cause) => cause.split('\n'))
    .map((line) => `    ${line.trim()}\n`);
  const text = lines ? message.replaceAll('\r\n', '\n') : harmlessLine(message);
  const told = (text.endsWith('\n') ? text : `${text}\n`) + beneath.join('');
  return head + harmlessLines(told);
}

/** The names of `--log-format`; those of places in rclone's source mean nothing here. */
const FORMATS = [
  ...(['date', 'time', 'microseconds', 'UTC', 'pid', 'nolevel', 'json'] as const),
  ...(['longfile', 'shortfile'] as const),
];

export type LogFormat = (typeof FORMATS)[number];

/** Reads `--log-format`: names separated by commas, in any case. Throws `command-line` for an unknown name. */
export function readLogFormat(text: string): ReadonlySet<LogFormat> {
  const names = text.split(',').map((name) => name.trim());
  const found = names
    .filter((name) => name !== '')
    .map((name) => {
      const known = FORMATS.find((one) => one.toLowerCase() === name.toLowerCase());
      if (known !== undefined) return known;
      const why = `"${name}" is not one of ${FORMATS.join(', ')}`;
      throw new SyncerError('command-line', `invalid value for flag --log-format: ${why}`);
    });
  return new Set(found);
}

/** The text before the level in a line of the log. */
export type LogPrefix = (timeMs: number, level: LogLevel) => string;

/** The flags of the layout. */
export interface LogLayout {
  /** `--log-format` */
  readonly format: ReadonlySet<LogFormat>;
  /** `--log-systemd`. */
  readonly systemd: boolean;
  readonly pid: number;
}

/** The priorities of sd-daemon(3). */
const PRIORITIES: Readonly<Record<LogLevel, string>> = {
  error: '<3>',
  notice: '<5>',
  info: '<6>',
  debug: '<7>',
};

/**
 * The prefix as rclone puts it together: `date`, `time`, `microseconds`, `UTC`, `pid`. For systemd the priority alone,
 * since its journal has the time.
 */
export function logPrefix({ format, systemd, pid }: LogLayout): LogPrefix {
  if (systemd) return (_, level) => PRIORITIES[level];
  const micro = format.has('microseconds');
  const clock = format.has('time') || micro;
  const who = format.has('pid') ? `[${pid}] ` : '';
  return (timeMs) => {
    const shift = format.has('UTC') ? 0 : new Date(timeMs).getTimezoneOffset() * 60_000;
    const text = new Date(timeMs - shift).toISOString();
    const date = format.has('date') ? `${text.slice(0, 10).replaceAll('-', '/')} ` : '';
    const fraction = micro ? `.${text.slice(20, 23)}000` : '';
    return `${date}${clock ? `${text.slice(11, 19)}${fraction} ` : ''}${who}`;
  };
}
