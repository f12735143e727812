import type { SyncerError } from './errors.ts';

/** How loud a log line is; `notice` is shown by default, `info` with `-v`, `debug` with `-vv`. */
export type LogLevel = 'error' | 'notice' | 'info' | 'debug';

/** What a transfer does with a file. */
export type TransferKind = 'copy' | 'server-copy' | 'server-move' | 'check';

/**
 * Everything that happens during a run. The engine and the backends only emit these; the progress view,
 * the text log and the JSON log read them.
 */
export type SyncerEvent =
  /** One line for the log, or with `lines` several. `path` is what the line is about; `fields` are further keys for `--use-json-log`. */
  | {
      type: 'log';
      level: LogLevel;
      path?: string;
      message: string;
      error?: SyncerError;
      lines?: boolean;
      /** Credentials in it are meant to be seen. */
      showsSecrets?: boolean;
      fields?: Readonly<Record<string, unknown>>;
    }
  /** A file begins to be transferred or compared by content. `id` is unique in the run. */
  | { type: 'transfer-start'; id: number; kind: TransferKind; path: string; size: number }
  /** `bytes` more of the transfer have passed. */
  | { type: 'transfer-bytes'; id: number; bytes: number }
  /** The transfer is begun anew: what was counted for it so far is void. */
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
