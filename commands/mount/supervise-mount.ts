import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { configPath } from '../../src/config/config-path.ts';
import { abortable, type Context, timerMs } from '../../src/core/context.ts';
import { type ErrorCode, SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { SystemCalls } from '../../src/fuse/device/fuse-device.ts';
import { unmountAtExit, unmountLazily } from '../../src/fuse/device/mounting.ts';
import type { Session } from '../../src/fuse/session/session.ts';
import { formatDuration } from '../../src/go/quantities.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  Interruption,
  Program,
} from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { ownCommand } from '../../src/shell/process/own-command-line.ts';
import { exactCommand } from '../../src/system/exact-command.ts';
import type { Vfs } from '../../src/vfs/vfs.ts';
import { DAEMON_MARK } from './called-as.ts';
import type { MOUNT_FLAGS } from './flags.ts';
import { controlFolders, type MountReport, openControlSocket } from './list-mounts.ts';

/**
 * Waits until the mount is unmounted, or ended by a signal or by `syncer unmount`, and ends it.
 * @param mount its `source` is `remote:path`, as users of the machine may see it
 */
export async function superviseMount(
  invocation: CommandCall<typeof MOUNT_FLAGS> & Environment & Interruption,
  mount: {
    readonly fileSystem: Vfs;
    readonly session: Session;
    readonly libc: SystemCalls;
    readonly mountPoint: string;
    readonly source: string;
  },
): Promise<void> {
  const { env, flags, context, interruption } = invocation;
  const { fileSystem, session, libc, mountPoint, source } = mount;
  const told = Promise.withResolvers<'unmount' | 'drain-and-unmount'>();
  const mounted = {
    mountPoint,
    source,
    pid: process.pid,
    since: context.clock.now(),
    cacheMode: flags['vfs-cache-mode'],
  };
  let isEnding = false;
  const report = (): MountReport => ({ ...mounted, isEnding, state: fileSystem.state() });
  const atExit = () => unmountAtExit(mountPoint);
  const onAbort = () => told.resolve('drain-and-unmount');

  process.on('exit', atExit);
  for (const signal of [interruption, context.signal]) {
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  }
  const control = await openControlSocket(controlFolders(flags, env), {
    report,
    end: told.resolve,
  }).catch((thrown: Error) => {
    const message = `${mountPoint} will be missing in syncer mounts: ${thrown.message}`;
    context.emit(logText('notice', message));
  });
  notifySystemd(libc, env, `READY=1\nSTATUS=${source} on ${mountPoint}`);
  await tellParent();

  const how = await Promise.race([told.promise, session.ended.then(() => 'gone' as const)]);
  isEnding = true;
  notifySystemd(libc, env, 'STOPPING=1\nSTATUS=waiting for pending uploads');
  try {
    await finishMount(how, {
      fileSystem,
      session,
      mountPoint,
      context,
      drainMs: Math.max(flags['drain-timeout'], 0),
      unmount: async () => {
        await unmountLazily(mountPoint);
        process.off('exit', atExit);
      },
    });
  } finally {
    process.off('exit', atExit);
    await control?.close();
  }
}

/** Reports the state of the service to systemd by sd_notify(3), if systemd asks for it. */
function notifySystemd(libc: SystemCalls, env: NodeJS.ProcessEnv, state: string): void {
  const { NOTIFY_SOCKET: path } = env;
  if (path === undefined || !/^[/@]/.test(path)) return;
  const [afUnix, sockDgram, sockCloexec] = [1, 2, 0o2000000];
  const socket = libc.socket(afUnix, sockDgram | sockCloexec, 0);
  if (socket < 0) return;
  // `struct sockaddr_un`; a name that starts with `@` is abstract.
  const family = Buffer.alloc(2);
  family.writeUInt16LE(afUnix);
  const name = Buffer.from(path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`);
  const address = Buffer.concat([family, name]);
  const message = Buffer.from(state);
  libc.sendto(socket, message, message.length, 0, address, address.length);
  closeSync(socket);
}

/**
 * Ends a mount within `drainMs`: pending uploads first, then the mount, then the files that are still being written
 * or closed. What is not uploaded by then is in the journal of the cache.
 *
 * @param how `gone`: it is unmounted already; `unmount`: the mount first
 */
export async function finishMount(
  how: 'gone' | 'unmount' | 'drain-and-unmount',
  mount: {
    readonly fileSystem: Pick<Vfs, 'state' | 'drain' | 'close'>;
    readonly session: Pick<Session, 'ended' | 'writers' | 'settled' | 'stop'>;
    readonly mountPoint: string;
    readonly context: Pick<Context, 'emit'>;
    readonly drainMs: number;
    unmount(): Promise<void>;
  },
): Promise<void> {
  const { fileSystem, session, mountPoint, context, drainMs, unmount } = mount;
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new SyncerError('timed-out', 'timed out waiting for pending uploads')),
    timerMs(drainMs),
  );
  const op = { signal: limit.signal };
  const over = once(limit.signal, 'abort');
  const attempt = async (work: Promise<void>) => {
    try {
      await work;
    } catch (thrown) {
      const error = toSyncerError(thrown);
      if (error.code === 'timed-out') return;
      const fields = { text: `${mountPoint}: ${error.message}`, error };
      context.emit({ type: 'log', level: 'error', code: 'message', fields });
    }
  };
  const written = async () => {
    while (session.writers() > 0 && !limit.signal.aborted) await sleep(50);
  };
  try {
    if (how === 'drain-and-unmount') await Promise.race([attempt(fileSystem.drain(op)), over]);
    if (how !== 'gone') {
      await unmount();
      await Promise.race([session.ended, written(), over]);
    }
    await Promise.race([session.settled(), over]);
    session.stop();
    await attempt(fileSystem.close(op));
  } finally {
    clearTimeout(timer);
  }
  const { uploadsWaiting, uploadsRunning, uploadsFailed } = fileSystem.state();
  const left = uploadsWaiting + uploadsRunning + uploadsFailed;
  if (left === 0) return;
  const message = `${mountPoint}: ${left} files are not uploaded yet; the next mount of the same remote resumes them`;
  context.emit(logText('notice', message));
}

/**
 * Starts the same command in the background. Resolves to its process ID when its mount responds. Rejects with its
 * error, or with `timed-out` after `--daemon-wait`, and ends it then.
 */
export async function startDaemon(
  invocation: CommandCall<typeof MOUNT_FLAGS> & Program & Environment & Interruption & Asking,
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

/** The password of an encrypted configuration, as a line for standard input; `undefined` if none will be requested. */
async function configPasswordLine(invocation: CommandCall & Environment & Asking) {
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

type DaemonMessage =
  | { readonly ready: true }
  | { readonly code: ErrorCode; readonly message: string; readonly advice?: string };
