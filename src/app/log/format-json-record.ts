import { harmlessJson } from '../../core/harmless.ts';
import type { LogRecord } from './log-record.ts';

/**
 * A record as a line of JSON with the keys of rclone 1.75, in its order: `time`, `level`, `msg`, those of `fields`,
 * `object` and `objectType` (if the record has a subject); then `code` and `causes` of an error.
 */
export function formatJsonRecord(record: LogRecord, causes: readonly string[]): string {
  const { timeMs, level, path, message, error, fields } = record;
  const values = {
    time: isoTime(timeMs),
    level,
    msg: message,
    ...fields,
    ...(path === undefined ? {} : { object: path, objectType: 'string' }),
    ...(error === undefined ? {} : { code: error.code }),
    ...(causes.length === 0 ? {} : { causes }),
  };
  return `${harmlessJson(JSON.stringify(values))}\n`;
}

/** `2026-11-20T10:00:00.123+01:00`, with the local offset; `Z` for UTC. */
function isoTime(timeMs: number): string {
  const offset = -new Date(timeMs).getTimezoneOffset();
  if (offset === 0) return new Date(timeMs).toISOString();
  const two = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
  return new Date(timeMs + offset * 60_000).toISOString().replace('Z', zone);
}
