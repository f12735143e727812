import type { ErrorCode } from '../../core/errors.ts';

/** The environment variable that a process started by `--daemon` finds itself with. */
export const DAEMON_MARK = '_SYNCER_DAEMON';

/** What the process in the background tells the one that started it. */
export type DaemonMessage =
  | { readonly ready: true }
  | { readonly code: ErrorCode; readonly message: string; readonly advice?: string };
