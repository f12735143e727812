import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, timerMs } from '../../src/core/context.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import { unmountAtExit, unmountLazily } from '../../src/fuse/device/mounting.ts';
import type { SystemCalls } from '../../src/fuse/device/system-calls.ts';
import type { Session } from '../../src/fuse/session/session.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import type { Vfs } from '../../src/vfs/vfs.ts';
import { tellParent } from './daemon.ts';
import type { MOUNT_FLAGS } from './flags.ts';
import { controlFolders, type MountReport, openControlSocket } from './list-mounts.ts';

/**
 * Waits until the mount is unmounted, or ended by a signal or by `syncer unmount`, and ends it.
 * @param mount its `source` is `remote:path`, as users of the machine may see it
 */
export async function superviseMount(
  { env, flags, context, interruption }: Invocation<typeof MOUNT_FLAGS>,
  mount: {
    readonly fileSystem: Vfs;
    readonly session: Session;
    readonly libc: SystemCalls;
    readonly mountPoint: string;
    readonly source: string;
  },
): Promise<void> {
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
