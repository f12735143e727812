import type { LogLevel } from '../../core/events.ts';
import { harmlessJson } from '../../core/harmless.ts';
import type { LogRecord } from './log-record.ts';

/** rclone's names of the levels in its JSON log. */
const LEVEL_NAMES: Readonly<Record<LogLevel, string>> = {
  error: 'error',
  notice: 'warning',
  info: 'info',
  debug: 'debug',
};

/**
 * A record as a line of JSON with rclone's keys, in alphabetical order as there: `level`, `msg`, `object` and
 * `objectType` (where the record is about something), `time`, and those of `fields`.
 */
export function formatJsonRecord(record: LogRecord, causes: readonly string[]): string {
  const { timeMs, level, path, message, error, fields } = record;
  const values: Record<string, unknown> = {
    ...fields,
    ...(causes.length === 0 ? {} : { causes }),
    ...(error === undefined ? {} : { code: error.code }),
    level: LEVEL_NAMES[level],
    msg: message,
    ...(path === undefined ? {} : { object: path, objectType: 'string' }),
    time: isoTime(timeMs),
  };
  const sorted = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${harmlessJson(JSON.stringify(Object.fromEntries(sorted)))}\n`;
}

/** `2026-11-20T10:00:00.123+01:00`, with the local offset. */
function isoTime(timeMs: number): string {
  const offset = -new Date(timeMs).getTimezoneOffset();
  const two = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
  return new Date(timeMs + offset * 60_000).toISOString().replace('Z', zone);
}
