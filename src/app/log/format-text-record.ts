import type { LogLevel } from '../../core/events.ts';
import { harmlessLine, harmlessLines } from '../../core/harmless.ts';
import type { LogPrefix } from './log-layout.ts';
import type { LogRecord } from './log-record.ts';

/**
 * A record as a line of text as rclone writes it: `2026/11/20 10:00:00 INFO  : path: message`, with its line end.
 * Times are local. The causes of its error follow on indented lines.
 */
export function formatTextRecord(
  record: LogRecord,
  causes: readonly string[],
  prefix: LogPrefix,
): string {
  const { timeMs, level, path, message, lines } = record;
  const about = path === undefined ? '' : `${harmlessLine(path)}: `;
  const head = `${prefix(timeMs, level)}${levelName(level)}: ${about}`;
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
