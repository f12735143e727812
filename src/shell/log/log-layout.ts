import { SyncerError } from '../../core/errors.ts';
import type { LogLevel } from '../../core/events.ts';

/** The names of `--log-format`; those of places in rclone's source mean nothing here. */
const FORMATS = [
  ...(['date', 'time', 'microseconds', 'UTC', 'pid', 'nolevel', 'json'] as const),
  ...(['longfile', 'shortfile'] as const),
];

/** A name of `--log-format`. */
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
    const time = timeParts(timeMs, format.has('UTC'));
    const date = format.has('date') ? `${time.date} ` : '';
    const fraction = micro ? `.${time.microseconds}` : '';
    return `${date}${clock ? `${time.clock}${fraction} ` : ''}${who}`;
  };
}

function timeParts(timeMs: number, utc: boolean) {
  const local = new Date(timeMs);
  const shift = utc ? 0 : local.getTimezoneOffset() * 60_000;
  const text = new Date(timeMs - shift).toISOString();
  return {
    date: text.slice(0, 10).replaceAll('-', '/'),
    clock: text.slice(11, 19),
    microseconds: `${text.slice(20, 23)}000`,
  };
}
