import { closeSync } from 'node:fs';
import { logText } from '../app/log/log-text.ts';
import type { Context } from '../core/context.ts';
import type { SystemCalls } from '../fuse/device/system-calls.ts';
import { unmountAtExit, unmountLazily } from '../fuse/device/unmount.ts';
import type { Session } from '../fuse/session/session.ts';
import type { Vfs } from '../vfs/vfs.ts';
import { type MountReport, openControlSocket, runtimeFolders } from './control-socket.ts';
import { finishMount } from './finish-mount.ts';

const AF_UNIX = 1;

const SOCK_DGRAM = 2;

const SOCK_CLOEXEC = 0o2000000;

/** A mount that answers, and what is needed to end it well. */
export interface SupervisedMount {
  readonly fileSystem: Vfs;
  readonly session: Session;
  readonly libc: SystemCalls;
  readonly mountPoint: string;
  readonly source: string;
  readonly cacheMode: string;
  readonly env: NodeJS.ProcessEnv;
  readonly context: Context;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly interruption: AbortSignal;
  /** The folder for what can be made anew. */
  readonly caches: string;
  readonly uid: number;
  /** How long the end may wait for uploads, in milliseconds. */
  readonly drainMs: number;
  /** Called once when everything is up. */
  readonly onReady: () => Promise<void>;
}

/** Waits until the mount goes, or is told to go by a signal or by `syncer unmount`, and ends it. */
export async function superviseMount(mount: SupervisedMount): Promise<void> {
  const { fileSystem, session, libc, mountPoint, env, context, caches, uid } = mount;
  const told = Promise.withResolvers<'unmount' | 'drain-and-unmount'>();
  const since = context.clock.now();
  let isEnding = false;
  const report = (): MountReport => {
    const { source, cacheMode } = mount;
    const state = fileSystem.state();
    return { mountPoint, source, pid: process.pid, since, cacheMode, isEnding, state };
  };
  const atExit = () => unmountAtExit(mountPoint);
  const onAbort = () => told.resolve('drain-and-unmount');
  const onHangUp = () => fileSystem.refresh();

  process.on('exit', atExit);
  // As with rclone, SIGHUP does not end a mount: it has directories listed anew.
  process.removeAllListeners('SIGHUP').on('SIGHUP', onHangUp);
  for (const signal of [mount.interruption, context.signal]) {
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  }
  const control = await openControlSocket(runtimeFolders(uid, env, caches), {
    report,
    end: told.resolve,
  }).catch((thrown: Error) => {
    const message = `${mountPoint} will be missing in syncer mounts: ${thrown.message}`;
    context.emit(logText('notice', message));
  });
  notifySystemd(libc, env, `READY=1\nSTATUS=${mount.source} on ${mountPoint}`);
  await mount.onReady();

  const how = await Promise.race([told.promise, session.ended.then(() => 'gone' as const)]);
  isEnding = true;
  notifySystemd(libc, env, 'STOPPING=1\nSTATUS=waiting for pending uploads');
  try {
    await finishMount(how, {
      ...mount,
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

/** Tells systemd how the service is, by the protocol of sd_notify(3). Does nothing where systemd does not ask. */
function notifySystemd(libc: SystemCalls, env: NodeJS.ProcessEnv, state: string): void {
  const { NOTIFY_SOCKET: path } = env;
  if (path === undefined || !/^[/@]/.test(path)) return;
  const socket = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const address = socketAddress(path);
  const message = Buffer.from(state);
  libc.sendto(socket, message, message.length, 0, address, address.length);
  closeSync(socket);
}

/** `struct sockaddr_un`; a name that begins with `@` is one of the abstract name space. */
function socketAddress(path: string): Buffer {
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  const name = Buffer.from(path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`);
  return Buffer.concat([family, name]);
}
