import { cacheDir } from '../../src/config/config-path.ts';
import { abortable } from '../../src/core/abort.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Remote } from '../../src/core/remote.ts';
import { overlap } from '../../src/engine/place/overlap.ts';
import { openDevice } from '../../src/fuse/device/mounting.ts';
import { loadSystemCalls, type SystemCalls } from '../../src/fuse/device/system-calls.ts';
import { checkFuse } from '../../src/fuse/mounts/check-fuse.ts';
import { checkCacheDir, checkMountPoint } from '../../src/fuse/mounts/check-mount-point.ts';
import { raiseReadAhead } from '../../src/fuse/mounts/mount-table.ts';
import { KernelInvalidations } from '../../src/fuse/session/invalidations.ts';
import { Session } from '../../src/fuse/session/session.ts';
import { shownEntries } from '../../src/run/remotes/shown-entries.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { ownCommand } from '../../src/shell/process/own-command-line.ts';
import { leftOutText } from '../../src/shell/unit/systemd-text.ts';
import type { ReadFromMemory } from '../../src/vfs/contents/contents-kit.ts';
import { openContents } from '../../src/vfs/contents/open-contents.ts';
import type { MountOps } from '../../src/vfs/mount-ops.ts';
import { openVfs } from '../../src/vfs/open-vfs.ts';
import { isDaemonChild, startDaemon, tellParent } from './daemon.ts';
import type { MOUNT_FLAGS } from './flags.ts';
import { type MountPlan, mountPlan, vfsOptionsOf } from './mount-plan.ts';
import { superviseMount } from './supervise-mount.ts';

/** `syncer mount remote:path /mnt`: serves the mount until it ends, or starts a process that does. */
export async function runMount(invocation: Invocation<typeof MOUNT_FLAGS>): Promise<void> {
  const { args, flags, env } = invocation;
  const [source = '', mountPoint = ''] = args;
  const plan = mountPlan(flags, source, process.geteuid?.() ?? 0);
  if (flags['print-unit']) return printUnit(invocation);
  if (flags.daemon && !isDaemonChild(env)) {
    const pid = await startDaemon(invocation, mountPoint);
    if (process.stderr.isTTY !== true) return;
    const message = `Mounted ${source} on ${mountPoint} in the background (process ${pid}); to unmount, run "syncer unmount ${mountPoint}"`;
    return invocation.context.emit(logText('notice', message));
  }
  try {
    await serveMount(invocation, plan);
  } catch (thrown) {
    // Both write to the same log.
    if (!(await tellParent(thrown))) throw thrown;
  }
}

async function printUnit({
  args,
  flags,
  env,
  argv,
  out,
  context,
}: Invocation<typeof MOUNT_FLAGS>): Promise<void> {
  const wait = flags['drain-timeout'];
  if (!Number.isFinite(wait)) throw new SyncerError('usage', '--drain-timeout must be a time');
  const { unitParts, unitText } = await import('./unit-text.ts');
  const { leftOut, ...parts } = unitParts({ args, argv, env, folder: process.cwd() });
  const secrets = leftOutText('unit', leftOut);
  if (secrets !== undefined) context.emit(logText('notice', secrets));
  await out.write(
    unitText({
      ...parts,
      program: ownCommand(),
      isForUser: process.geteuid?.() !== 0,
      stopSeconds: Math.ceil(Math.max(wait, 0) / 1000) + 30,
    }),
  );
}

/** Mounts and serves in this process until the mount is gone and all is safe. */
async function serveMount(
  invocation: Invocation<typeof MOUNT_FLAGS>,
  plan: MountPlan,
): Promise<void> {
  const { args, flags, env, context, interruption, stores } = invocation;
  const [source = '', place = ''] = args;
  const uid = process.geteuid?.() ?? 0;
  const { allowOther, allowNonEmpty } = plan.request;
  await checkFuse({ uid, env, device: '/dev/fuse', settings: '/etc/fuse.conf' }, allowOther);
  const rules = { allowNonEmpty, force: flags['mount-force'] };
  const mountPoint = await checkMountPoint(place, rules);
  const caches = cacheDir(env, flags['cache-dir']);
  checkCacheDir(caches, mountPoint);
  const remote = await abortable(checkRemote(invocation, source, mountPoint), interruption);
  const options = vfsOptionsOf(flags, {
    cacheDir: caches,
    uid,
    gid: process.getegid?.() ?? 0,
    umask: process.umask(),
    isShown: shownEntries(await invocation.filter(), 'mount'),
  });
  const invalidations = new KernelInvalidations();
  const links =
    flags.links || flags['vfs-links'] ? await import('../../src/vfs/link-ops.ts') : undefined;
  const libc = await loadSystemCalls();
  const contents = await openContents(remote, options, caches, context, {
    readFromMemory: readFromMemory(libc),
  });
  const told = links?.invalidatesLinks(invalidations) ?? invalidations;
  const fileSystem = openVfs(remote, contents, options, context, told);
  const plain = links?.withLinks(fileSystem, options.linkPerms) ?? fileSystem;
  const { 'vfs-metadata-extension': extension = '' } = flags;
  const ops = extension === '' ? plain : await withMetadata(plain, remote, extension);
  interruption.throwIfAborted();
  // As in rclone, SIGHUP does not end a mount: it discards the listings. That holds from its first response on.
  process.removeAllListeners('SIGHUP').on('SIGHUP', () => fileSystem.refresh());
  const device = await openDevice(libc, { ...plan.request, mountPoint }, env);
  const session = new Session(device, ops, plan.session, context.emit);
  invalidations.attach(device);
  await session.ready;
  // Nothing in this process may access the mount: if it is killed, a thread that waits for its own mount keeps the
  // process from ending, and the mount hangs for all.
  await raiseReadAhead(mountPoint, plan.session.maxReadAhead);
  const isWatched = process.stderr.isTTY === true;
  const how = isWatched ? `; press Ctrl-C to unmount, or run "syncer unmount ${mountPoint}"` : '';
  context.emit(logText(isWatched ? 'notice' : 'info', `Mounted ${source} on ${mountPoint}${how}`));
  // A damaged state is said when the mount begins, and not with its first large file.
  void stores.tryState('interrupted uploads of this mount begin again', () => {});
  const { source: shown } = plan.request;
  await superviseMount(invocation, { fileSystem, session, libc, mountPoint, source: shown });
}

async function withMetadata(inner: MountOps, remote: Remote, extension: string): Promise<MountOps> {
  const { withMetadataOps } = await import('../../src/vfs/metadata-ops.ts');
  return withMetadataOps(inner, remote, extension);
}

/** Opens the remote and checks that it can be listed. Rejects if not, or if it is below its own mount. */
async function checkRemote(
  { remotes, context }: Invocation,
  source: string,
  mountPoint: string,
): Promise<Remote> {
  const { remote, file } = await remotes.openPath(source);
  if (file !== undefined) {
    throw new SyncerError(
      'not-a-directory',
      `${source} is a file: only directories can be mounted`,
    );
  }
  const { onDisk, inProcess } = remote.traits;
  const op = { signal: context.signal };
  if (onDisk && (await overlap(remote, await remotes.openDir(mountPoint), op)).how !== 'apart') {
    throw new SyncerError(
      'usage',
      `${source} and the mount point ${mountPoint} overlap: the mount would wait for itself`,
    );
  }
  try {
    if (inProcess === true) await remote.makeDir('', op);
    await remote.listPage('', undefined, op);
  } catch (thrown) {
    const error = toSyncerError(thrown);
    throw new SyncerError(error.code, `cannot mount ${source}: ${error.message}`, {
      cause: error,
      ...(error.advice === undefined ? {} : { advice: error.advice }),
    });
  }
  return remote;
}

/** Only what needs no disk. */
const RWF_NOWAIT = 8;

/** Reads of files that never wait for a disk; `undefined` if the system does not support it. */
function readFromMemory({ preadv2, address }: SystemCalls): ReadFromMemory | undefined {
  if (preadv2 === undefined) return undefined;
  const vector = Buffer.alloc(16);
  return (fd, buffer, offset) => {
    vector.writeBigUInt64LE(address(buffer), 0);
    vector.writeUInt32LE(buffer.length, 8);
    return Math.max(0, preadv2(fd, vector, 1, offset, RWF_NOWAIT));
  };
}
