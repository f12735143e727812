import { type ErrorCode, toSyncerError } from '../core/errors.ts';
import { DAEMON_MARK } from './called-as.ts';

/** Whether this process was started by another one as its `--daemon`. */
export function isDaemonChild(env: NodeJS.ProcessEnv): boolean {
  return env[DAEMON_MARK] !== undefined;
}

/**
 * Tells the process that started this one that the mount answers, or why there is none, which that one then says.
 * Resolves to whether it was told: there may be none.
 */
export async function tellParent(failure?: unknown): Promise<boolean> {
  if (process.send === undefined || !process.connected) return false;
  const isTold = await new Promise<boolean>((resolve) => {
    process.send?.(messageOf(failure), (error) => resolve(error === null));
  });
  if (process.connected) process.disconnect();
  return isTold;
}

function messageOf(failure: unknown): DaemonMessage {
  if (failure === undefined) return { ready: true };
  const { code, message, advice } = toSyncerError(failure);
  return { code, message, ...(advice === undefined ? {} : { advice }) };
}

/** What the process in the background tells the one that started it. */
export type DaemonMessage =
  | { readonly ready: true }
  | { readonly code: ErrorCode; readonly message: string; readonly advice?: string };
