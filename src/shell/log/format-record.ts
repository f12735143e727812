import type { LogLevel } from '../../core/events.ts';
import { harmlessJson, harmlessLine, harmlessLines } from '../../core/harmless.ts';
import type { LogPrefix } from './log-layout.ts';
import type { LogRecord } from './log-record.ts';

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
  const offset = -new Date(timeMs).getTimezoneOffset();
  if (offset === 0) return new Date(timeMs).toISOString();
  const two = (value: number) => String(Math.trunc(Math.abs(value))).padStart(2, '0');
  const zone = `${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(offset % 60)}`;
  return new Date(timeMs + offset * 60_000).toISOString().replace('Z', zone);
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
  const head = `${prefix(timeMs, level)}${showsLevel ? `${levelName(level)}: ` : ''}${about}`;
  const beneath = causes
    .flatMap((cause) => cause.split('\n'))
    .map((line) => `    ${line.trim()}\n`);
  const text = lines ? message.replaceAll('\r\n', '\n') : harmlessLine(message);
  const told = (text.endsWith('\n') ? text : `${text}\n`) + beneath.join('');
  return head + harmlessLines(told);
}

function levelName(level: LogLevel): string {
  return level.toUpperCase().padEnd(6);
}
