import type { LogEvent, LogLevel } from '../../core/events.ts';

/** A log event with a text: for `src/shell`, `src/run` and `commands` only. */
export function logText(level: LogLevel, text: string, path?: string): LogEvent {
  const about = path === undefined ? {} : { path };
  return { type: 'log', level, ...about, code: 'message', fields: { text } };
}
