import { SyncerError } from '../../core/errors.ts';
import type { LogEvent, LogLevel } from '../../core/events.ts';
import type { LogCode } from '../../core/log-fields.ts';
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
  const { error, lines, showsSecrets }: Shown = fields;
  return {
    timeMs,
    level,
    ...(path === undefined ? {} : { path }),
    message: messageOf(event),
    ...(showsSecrets === true ? { showsSecrets } : {}),
    ...(lines === true || SEVERAL_LINES.includes(code) ? { lines: true } : {}),
    ...(error instanceof SyncerError ? { error } : {}),
    ...keysOf(event),
  };
}

/** Fields of any event that affect how it is shown. */
interface Shown {
  readonly error?: Error | string;
  readonly lines?: boolean;
  readonly showsSecrets?: boolean;
}

const SEVERAL_LINES: readonly LogCode[] = ['login-device', 'login-browser'];

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
