import { toSyncerError } from '../../core/errors.ts';
import { DAEMON_MARK, type DaemonMessage } from './daemon-message.ts';

/** Whether this process was started by another one as its `--daemon`. */
export function isDaemonChild(env: NodeJS.ProcessEnv): boolean {
  return env[DAEMON_MARK] !== undefined;
}

/** Tells the process that started this one that the mount answers, or why there is none. Does nothing without one. */
export async function tellParent(failure?: unknown): Promise<void> {
  if (process.send === undefined || !process.connected) return;
  await new Promise<void>((resolve) => {
    process.send?.(messageOf(failure), () => resolve());
  });
  process.disconnect();
}

function messageOf(failure: unknown): DaemonMessage {
  if (failure === undefined) return { ready: true };
  const { code, message, advice } = toSyncerError(failure);
  return { code, message, ...(advice === undefined ? {} : { advice }) };
}
