import type { LogLevel } from '../../core/events.ts';
import { causesOf, type LogRecord, oneLine } from './log-record.ts';
import { redactSecrets } from './redact-secrets.ts';

/**
 * A record as a line of text as rclone writes it: `2026/11/20 10:00:00 INFO  : path: message`, with its line end.
 * Times are local. With `withCauses` what lies beneath an error follows on indented lines.
 */
export function formatTextRecord(record: LogRecord, withCauses: boolean): string {
  const { timeMs, level, path, message, error } = record;
  const about = path === undefined ? '' : `${oneLine(path)}: `;
  const head = `${logTime(timeMs)} ${levelName(level)}: ${about}`;
  const causes = withCauses ? causesOf(error) : [];
  const beneath = causes
    .flatMap((cause) => cause.split('\n'))
    .map((line) => `    ${line.trim()}\n`);
  const text = message.endsWith('\n') ? message : `${message}\n`;
  return head + redactSecrets(text + beneath.join(''));
}

/** `2026/11/20 10:00:00` in local time. */
function logTime(timeMs: number): string {
  const time = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('/');
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}

function levelName(level: LogLevel): string {
  return level.toUpperCase().padEnd(6);
}
