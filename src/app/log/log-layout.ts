import type { LogLevel } from '../../core/events.ts';

/** The text before the level in a line of the log. */
export type LogPrefix = (timeMs: number, level: LogLevel) => string;

/** The flags of the layout. */
export interface LogLayout {
  /** `--log-format`: names separated by commas. */
  readonly format: string;
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
 * The prefix as rclone puts it together: `date`, `time`, `microseconds`, `UTC`, `pid`; other names do nothing. For
 * systemd the priority alone, since its journal has the time.
 */
export function logPrefix({ format, systemd, pid }: LogLayout): LogPrefix {
  if (systemd) return (_, level) => PRIORITIES[level];
  const names = new Set(format.split(','));
  const micro = names.has('microseconds');
  const clock = names.has('time') || micro;
  const who = names.has('pid') ? `[${pid}] ` : '';
  return (timeMs) => {
    const time = timeParts(timeMs, names.has('UTC'));
    const date = names.has('date') ? `${time.date} ` : '';
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
