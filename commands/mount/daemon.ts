import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { configPath } from '../../src/config/config-path.ts';
import { abortable, timerMs } from '../../src/core/context.ts';
import { type ErrorCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { formatDuration } from '../../src/go/quantities.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { ownCommand } from '../../src/shell/process/own-command-line.ts';
import { exactCommand } from '../../src/system/exact-command.ts';
import { DAEMON_MARK } from './called-as.ts';
import type { MOUNT_FLAGS } from './flags.ts';

/**
 * Starts the same command in the background. Resolves to its process ID when its mount responds. Rejects with its
 * error, or with `timed-out` after `--daemon-wait`, and ends it then.
 */
export async function startDaemon(
  invocation: Invocation<typeof MOUNT_FLAGS>,
  mountPoint: string,
): Promise<number> {
  const { argv, env, flags, context, interruption } = invocation;
  const password = await configPasswordLine(invocation);
  const [program, ...words] = ownCommand();
  const marked = { ...env, [DAEMON_MARK]: '1' };
  const start = exactCommand({ file: program, args: [...words, ...argv], env: marked });
  const child = spawn(start.file, start.args, {
    detached: true,
    stdio: [password === undefined ? 'ignore' : 'pipe', 'ignore', 'ignore', 'ipc'],
    env: start.env,
  });
  child.stdin?.on('error', () => {}).end(password);
  try {
    const stop = AbortSignal.any([context.signal, interruption]);
    await answerOf(child, mountPoint, flags['daemon-wait'], stop);
    return child.pid ?? 0;
  } catch (thrown) {
    const { pid, exitCode, signalCode } = child;
    try {
      if (pid !== undefined && exitCode === null && signalCode === null)
        process.kill(-pid, 'SIGTERM');
    } catch {
      // The process and its children have ended.
    }
    throw thrown;
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
}

async function answerOf(
  child: ChildProcess,
  mountPoint: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const own = { signal: over.signal };
  const late = async (): Promise<never> => {
    await sleep(timerMs(waitMs > 0 ? waitMs : Number.POSITIVE_INFINITY), undefined, own);
    const text = `${mountPoint} was not mounted within ${formatDuration(waitMs)} (--daemon-wait)`;
    throw new SyncerError('timed-out', text);
  };
  const ended = async (): Promise<never> => {
    const [code, killedBy] = await once(child, 'exit', own);
    const how = `the background process ended before the mount was ready: ${killedBy ?? `exit code ${code}`}`;
    const text = `${how}; run it without --daemon, or with --log-file, for details`;
    throw new SyncerError('other', text);
  };
  try {
    const first = Promise.race([once(child, 'message', own), ended(), late()]);
    const [message] = (await abortable(first, signal)) as [DaemonMessage];
    if ('ready' in message) return;
    throw new SyncerError(message.code, message.message, { advice: message.advice });
  } catch (thrown) {
    if (thrown instanceof SyncerError || signal.aborted) throw thrown;
    throw new SyncerError('other', `cannot start: ${(thrown as Error).message}`, { cause: thrown });
  } finally {
    over.abort();
  }
}

/**
 * A line with the password of an encrypted configuration, for the standard input of a process without a terminal.
 * `undefined` if none will be requested.
 */
async function configPasswordLine(
  invocation: Invocation<typeof MOUNT_FLAGS>,
): Promise<string | undefined> {
  const { flags, env, ask } = invocation;
  const isTold =
    Boolean(flags['password-command']) ||
    env['SYNCER_CONFIG_PASS'] !== undefined ||
    env['RCLONE_CONFIG_PASS'] !== undefined;
  const path = configPath(flags.config, env);
  if (ask === undefined || isTold || path === undefined) return undefined;
  const config = await readFile(path, 'latin1').catch(() => '');
  if (!/^RCLONE_ENCRYPT_V/m.test(config)) return undefined;
  const password = await ask('Enter configuration password:');
  return password === undefined ? undefined : `${password}\n`;
}

/**
 * Reports to the parent process that the mount responds, or why there is none. Resolves to `false` without a parent.
 */
export async function tellParent(failure?: unknown): Promise<boolean> {
  if (process.send === undefined || !process.connected) return false;
  let message: DaemonMessage = { ready: true };
  if (failure !== undefined) {
    const { code, message: text, advice } = toSyncerError(failure);
    message = { code, message: text, ...(advice === undefined ? {} : { advice }) };
  }
  const isTold = await new Promise<boolean>((resolve) => {
    process.send?.(message, (error) => resolve(error === null));
  });
  if (process.connected) process.disconnect();
  return isTold;
}

/** The message of the background process to its parent. */
type DaemonMessage =
  | { readonly ready: true }
  | { readonly code: ErrorCode; readonly message: string; readonly advice?: string };
