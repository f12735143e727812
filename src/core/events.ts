import type { SyncerError } from './errors.ts';
import type { LogCode, LogFields } from './log-fields.ts';

/** How loud a log line is; `notice` is shown by default, `info` with `-v`, `debug` with `-vv`. */
export type LogLevel = 'error' | 'notice' | 'info' | 'debug';

/** What a transfer does with a file; a `server-rename` is part of other work, such as a backup. */
export type TransferKind = 'copy' | 'server-copy' | 'server-move' | 'server-rename' | 'check';

/** A log line as data: its words are in `src/shell/log/words.ts`. `path` is its subject. */
export type LogEvent = {
  [Code in LogCode]: {
    readonly type: 'log';
    readonly level: LogLevel;
    readonly path?: string;
    readonly code: Code;
  } & (Record<never, never> extends LogFields[Code]
    ? { readonly fields?: LogFields[Code] }
    : { readonly fields: LogFields[Code] });
}[LogCode];

/**
 * Everything that happens during a run. Engine and backends only emit these; the progress view, the text log and the
 * JSON log read them.
 */
export type SyncerEvent =
  | LogEvent
  /** The two sides of the transfers that follow, as paths without options of connection strings. */
  | { type: 'sides'; source?: string; dest: string }
  /** The transfer of a file, or its comparison by content, starts. `id` is unique in the run. */
  | { type: 'transfer-start'; id: number; kind: TransferKind; path: string; size: number }
  /** `bytes` more of the transfer were read. */
  | { type: 'transfer-bytes'; id: number; bytes: number }
  /** `bytes` more of the transfer were copied by the store from an object that it had: they are not sent. */
  | { type: 'transfer-copied'; id: number; bytes: number }
  /** The file is read for a hash, up to `bytes` so far: this time says nothing about the speed of the transfer. */
  | { type: 'transfer-hashed'; id: number; bytes: number }
  /** The transfer starts again: its counts so far are void. */
  | { type: 'transfer-restart'; id: number }
  /** `inStore`: the store has copied the file itself. */
  | { type: 'transfer-end'; id: number; error?: SyncerError; inStore?: boolean }
  /** Files to transfer that were found and wait: added, with their bytes. `again`: they have failed before. */
  | { type: 'transfer-queued'; files: number; bytes: number; again?: true }
  /** Pairs that were compared. `pending` ones were found and wait. */
  | { type: 'checked'; files: number }
  | { type: 'check-queued'; files: number }
  | { type: 'listed'; entries: number }
  /** `moved`: their content is elsewhere; statistics count them, as in rclone. */
  | { type: 'deleted'; files: number; dirs: number; bytes: number; moved?: true }
  | { type: 'renamed'; files: number }
  /**
   * An error that counts: the exit code will not be 0 unless the run is tried again and succeeds. `path`: the file or
   * directory it is about, as in the log; absent: that of the error.
   */
  | { type: 'error'; error: SyncerError; path?: string }
  /** The whole run will be tried again: errors counted so far are void. */
  | { type: 'retry-run' }
  /** A server throttles, or a call is retried. */
  | { type: 'wait'; why: 'throttled' | 'retry'; ms: number; what: string; error?: SyncerError };

/** Receives an event; never throws, never waits. */
export type Emit = (event: SyncerEvent) => void;
