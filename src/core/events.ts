import type { SyncerError } from './errors.ts';
import type { LogCode, LogFields } from './log-fields.ts';

/** How loud a log line is; `notice` is shown by default, `info` with `-v`, `debug` with `-vv`. */
export type LogLevel = 'error' | 'notice' | 'info' | 'debug';

/** What a transfer does with a file. */
export type TransferKind = 'copy' | 'server-copy' | 'server-move' | 'check';

/** One line for the log, as data: what it says stands in `src/app/log/words.ts`. `path` is what it is about. */
export type LogEvent = {
  [Code in LogCode]: {
    readonly type: 'log';
    readonly level: LogLevel;
    readonly path?: string;
    readonly code: Code;
  } & FieldsOf<Code>;
}[LogCode];

/** The fields of a log event; absent where its code has none. */
type FieldsOf<Code extends LogCode> =
  Record<never, never> extends LogFields[Code]
    ? { readonly fields?: LogFields[Code] }
    : { readonly fields: LogFields[Code] };

/** The fields of a code as arguments of a call. */
export type FieldArguments<Code extends LogCode> =
  Record<never, never> extends LogFields[Code] ? [] : [fields: LogFields[Code]];

/**
 * Everything that happens during a run. Engine and backends only emit these; the progress view, the text log and the
 * JSON log read them.
 */
export type SyncerEvent =
  | LogEvent
  /** A file begins to be transferred or compared by content. `id` is unique in the run. */
  | { type: 'transfer-start'; id: number; kind: TransferKind; path: string; size: number }
  /** `bytes` more of the transfer have passed. */
  | { type: 'transfer-bytes'; id: number; bytes: number }
  /** The transfer starts again: what was counted for it so far is void. */
  | { type: 'transfer-restart'; id: number }
  | { type: 'transfer-end'; id: number; error?: SyncerError }
  /** Files to transfer that were found and wait: added, with their bytes. */
  | { type: 'transfer-queued'; files: number; bytes: number }
  /** Pairs that were compared. `pending` ones were found and wait. */
  | { type: 'checked'; files: number }
  | { type: 'check-queued'; files: number }
  | { type: 'listed'; entries: number }
  | { type: 'deleted'; files: number; dirs: number; bytes: number }
  | { type: 'renamed'; files: number }
  /** An error that counts: the run will not end with exit code 0 unless it is tried again and succeeds. */
  | { type: 'error'; error: SyncerError }
  /** The whole operation is about to be tried again: errors counted so far are void. */
  | { type: 'retry-run'; attempt: number; of: number }
  /** A store asks to slow down, or a call is tried again. */
  | { type: 'wait'; why: 'throttled' | 'retry'; ms: number; what: string };

/** Takes an event; never throws, never waits. */
export type Emit = (event: SyncerEvent) => void;
