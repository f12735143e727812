import { resolve } from 'node:path';
import { cacheDir } from '../../src/config/config-path.ts';
import { abortable } from '../../src/core/context.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Entry, Remote } from '../../src/core/remote.ts';
import { overlap } from '../../src/engine/place/overlap.ts';
import { loadSystemCalls } from '../../src/fuse/device/fuse-device.ts';
import { isMountOption, type MountRequest, openDevice } from '../../src/fuse/device/mounting.ts';
import {
  checkCacheDir,
  checkFuse,
  checkMountPoint,
} from '../../src/fuse/mounts/check-mount-point.ts';
import { raiseReadAhead } from '../../src/fuse/mounts/mount-table.ts';
import { KernelInvalidations } from '../../src/fuse/session/invalidations.ts';
import { Session, type SessionSettings } from '../../src/fuse/session/session.ts';
import { requireListing } from '../../src/run/remotes/file-or-directory.ts';
import { withLayersLogged } from '../../src/run/remotes/layers.ts';
import { shownEntries } from '../../src/run/remotes/shown-entries.ts';
import { backendFlags } from '../../src/shell/command-line/backend-flags.ts';
import type {
  Asking,
  CommandCall,
  Environment,
  Interruption,
  Program,
  Remotes,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { flagSetOf } from '../../src/shell/command-line/flag-set.ts';
import { refuseExcluded } from '../../src/shell/flags/exclusions.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { shownText } from '../../src/shell/log/shown-words.ts';
import { ownCommand } from '../../src/shell/process/own-command-line.ts';
import {
  absoluteSpec,
  absoluteWords,
  leftOutText,
  unitEnvironment,
  unitEnvironmentLines,
  unitValue,
  unitWord,
} from '../../src/shell/unit/unit-words.ts';
import { openContents } from '../../src/vfs/contents/open-contents.ts';
import { openVfs } from '../../src/vfs/open-vfs.ts';
import type { VfsOptions } from '../../src/vfs/vfs-options.ts';
import { DAEMON_MARK } from './called-as.ts';
import { MOUNT_EXCLUSIONS, MOUNT_FLAGS } from './flags.ts';
import { optionWords } from './fstab-line.ts';
import { startDaemon, superviseMount, tellParent } from './supervise-mount.ts';
import { withBandwidth } from './with-bandwidth.ts';

/** What `mount` needs. */
export type MountNeeds = CommandCall<typeof MOUNT_FLAGS> &
  Program &
  Environment &
  Interruption &
  Remotes &
  StandardOutput &
  Asking;

/** `syncer mount remote:path /mnt`: serves the mount until it ends, or starts a process that does. */
export async function runMount(invocation: MountNeeds): Promise<void> {
  const { args, flags, env } = invocation;
  const [source = '', mountPoint = ''] = args;
  const plan = mountPlan(flags, source, process.geteuid?.() ?? 0);
  if (flags['print-unit']) return printUnit(invocation);
  if (flags.daemon && env[DAEMON_MARK] === undefined) {
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

async function printUnit(
  invocation: CommandCall<typeof MOUNT_FLAGS> & Program & Environment & StandardOutput,
): Promise<void> {
  const { args, flags, env, argv, out, context } = invocation;
  const wait = flags['drain-timeout'];
  if (!Number.isFinite(wait)) throw new SyncerError('usage', '--drain-timeout must be a time');
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
  invocation: CommandCall<typeof MOUNT_FLAGS> & Environment & Interruption & Remotes,
  plan: MountPlan,
) {
  const { args, flags, env, context, interruption, stores } = invocation;
  const [source = '', place = ''] = args;
  const uid = process.geteuid?.() ?? 0;
  const { allowOther, allowNonEmpty } = plan.request;
  await checkFuse({ uid, env, device: '/dev/fuse', settings: '/etc/fuse.conf' }, allowOther);
  const rules = { allowNonEmpty, force: flags['mount-force'] };
  const mountPoint = await checkMountPoint(place, rules);
  const caches = cacheDir(env, flags['cache-dir']);
  checkCacheDir(caches, mountPoint);
  const opened = await abortable(checkRemote(invocation, source, mountPoint), interruption);
  const { bandwidth } = invocation;
  const remote = bandwidth ? withLayersLogged(withBandwidth(opened, bandwidth), context) : opened;
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
  const contents = await openContents(remote, options, caches, context);
  const told = links?.invalidatesLinks(invalidations) ?? invalidations;
  const fileSystem = openVfs(remote, contents, options, context, told);
  const plain = links?.withLinks(fileSystem, options.linkPerms) ?? fileSystem;
  const { 'vfs-metadata-extension': extension = '' } = flags;
  const metadata = extension === '' ? undefined : await import('../../src/vfs/metadata-ops.ts');
  const ops = metadata?.withMetadataOps(plain, remote, extension) ?? plain;
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

/** Opens the remote and checks that it can be listed. Rejects if not, or if it is below its own mount. */
async function checkRemote(
  { remotes, context }: CommandCall & Remotes,
  source: string,
  mountPoint: string,
): Promise<Remote> {
  const { remote, file } = await remotes.openPath(source);
  if (file !== undefined) {
    const text = `${source} is a file: only directories can be mounted`;
    throw new SyncerError('not-a-directory', text);
  }
  const { onDisk } = remote.traits;
  const op = { signal: context.signal };
  if (onDisk && (await overlap(remote, await remotes.openDir(mountPoint), op)).how !== 'apart') {
    const text = `${source} and the mount point ${mountPoint} overlap: the mount would wait for itself`;
    throw new SyncerError('usage', text);
  }
  await requireListing(remote, 'mount', source, op);
  return remote;
}

/** How to mount, and how to serve the mount. */
export interface MountPlan {
  readonly request: Omit<MountRequest, 'mountPoint'>;
  readonly session: SessionSettings;
}

const MOUNT = { name: 'mount', flags: MOUNT_FLAGS, exclusions: MOUNT_EXCLUSIONS };

/**
 * The plan for a mount of `source` (`remote:path`). Throws `usage` for invalid flags.
 *
 * @param uid of the user who mounts
 */
export function mountPlan(
  flags: FlagsWith<typeof MOUNT_FLAGS>,
  source: string,
  uid: number,
): MountPlan {
  const options: string[] = [];
  let { 'allow-root': allowRoot, 'allow-non-empty': allowNonEmpty } = flags;
  let fsname: string | undefined;
  let subtype = 'syncer';
  for (const word of flags['mount-option'].flatMap(optionWords)) {
    const [name = ''] = word.split('=', 1);
    const value = word.slice(name.length + 1);
    if (isMountOption(word)) options.push(word);
    else if (name === 'fsname') fsname = value;
    else if (name === 'subtype') subtype = value;
    else if (name === 'nonempty') allowNonEmpty = true;
    else if (name === 'allow_root') allowRoot = true;
    else {
      const flag = name.replaceAll('_', '-');
      const isFlag = flagSetOf([MOUNT], 'mount').byName.has(flag);
      const hint = isFlag ? `use the flag --${flag}` : 'for the flags see "syncer help mount"';
      throw new SyncerError('usage', `unknown mount option -o ${name}; ${hint}`);
    }
  }
  // What is wrong with the flag is wrong with the option, too.
  if (allowRoot) refuseExcluded(MOUNT, { flags: { ...flags, 'allow-root': true } }, 'run');
  const limit = flags['daemon-timeout'];
  return {
    request: {
      // Every user of the machine sees it in /proc/mounts.
      source: shownText(fsname ?? flags.devname ?? flags.volname ?? source),
      subtype,
      allowOther: flags['allow-other'] || allowRoot,
      defaultPermissions: flags['default-permissions'] || flags['allow-idmap'],
      readOnly: flags['read-only'],
      allowNonEmpty,
      options,
    },
    session: {
      maxReadAhead: Math.max(flags['max-read-ahead'], 0),
      writeBackCache: flags['write-back-cache'],
      asyncRead: flags['async-read'],
      allowIdmap: flags['allow-idmap'],
      attrTimeoutMs: Math.max(flags['attr-timeout'], 0),
      directIo: flags['direct-io'],
      requestLimitMs: limit === undefined || limit <= 0 ? undefined : limit,
      onlyUser: allowRoot ? uid : undefined,
      logsRequests: flags['debug-fuse'],
    },
  };
}

/** The options of the file system, by the flags and the process. Throws `usage` for an invalid flag. */
export function vfsOptionsOf(
  flags: FlagsWith<typeof MOUNT_FLAGS>,
  surroundings: Pick<VfsOptions, 'cacheDir' | 'uid' | 'gid'> & {
    readonly umask: number;
    readonly isShown: ((entry: Entry) => boolean) | undefined;
  },
): VfsOptions {
  const { cacheDir, isShown } = surroundings;
  const umask = flags.umask === undefined ? surroundings.umask : parseOctal('umask', flags.umask);
  return {
    cacheMode: flags['vfs-cache-mode'],
    cacheDir,
    cacheMaxSize: flags['vfs-cache-max-size'],
    cacheMinFree: flags['vfs-cache-min-free-space'],
    cacheMaxAge: orForEver(flags['vfs-cache-max-age']),
    cachePollInterval: orForEver(flags['vfs-cache-poll-interval']),
    writeBack: Math.max(flags['vfs-write-back'], 0),
    readChunkSize: Math.max(flags['vfs-read-chunk-size'], 0),
    readChunkSizeLimit: flags['vfs-read-chunk-size-limit'],
    readChunkStreams: Math.max(flags['vfs-read-chunk-streams'], 0),
    readAhead: Math.max(flags['vfs-read-ahead'], 0),
    readWait: Math.max(flags['vfs-read-wait'], 0),
    handleCaching: Math.max(flags['vfs-handle-caching'], 0),
    writeWait: Math.max(flags['vfs-write-wait'], 0),
    caseInsensitive: flags['vfs-case-insensitive'],
    fastFingerprint: flags['vfs-fast-fingerprint'],
    refresh: flags['vfs-refresh'],
    diskSpaceTotal: flags['vfs-disk-space-total-size'],
    usedIsSize: flags['vfs-used-is-size'],
    dirCacheTime: orForEver(flags['dir-cache-time']),
    pollInterval: Math.max(flags['poll-interval'], 0),
    readOnly: flags['read-only'],
    noModTime: flags['mount-no-modtime'],
    noChecksum: flags['no-checksum'],
    noSeek: flags['no-seek'],
    // By default as many as in rclone.
    transfers: Math.max(flags.transfers ?? 4, 1),
    lowLevelRetries: Math.max(flags['low-level-retries'], 1),
    bufferSize: Math.max(flags['mount-buffer-size'], 0),
    uid: idOf('uid', flags.uid) ?? surroundings.uid,
    gid: idOf('gid', flags.gid) ?? surroundings.gid,
    filePerms: parseOctal('file-perms', flags['file-perms']) & ~umask & 0o777,
    dirPerms: parseOctal('dir-perms', flags['dir-perms']) & ~umask & 0o777,
    linkPerms: parseOctal('link-perms', flags['link-perms']) & ~umask & 0o777,
    ...(isShown === undefined ? {} : { isShown }),
  };
}

/** The number of a user or a group: 32 bits without a sign, as in rclone. */
function idOf(flag: 'uid' | 'gid', id: number | undefined): number | undefined {
  if (id === undefined || (id >= 0 && id < 2 ** 32)) return id;
  throw new SyncerError('usage', `--${flag} ${id}: must be a number from 0 to ${2 ** 32 - 1}`);
}

/** A duration of `off` means no limit. */
const orForEver = (ms: number): number => (ms < 0 ? Number.POSITIVE_INFINITY : ms);

/** Permission bits from octal digits (`022`, `0755`, `0o644`). Throws `usage` for anything else. */
function parseOctal(flag: string, text: string): number {
  const digits = /^(?:0o)?([0-7]{1,4})$/i.exec(text)?.[1];
  if (digits !== undefined) return Number.parseInt(digits, 8);
  const message = `--${flag} takes permissions in octal, such as 022, not "${text}"`;
  throw new SyncerError('command-line', message);
}

/** A systemd unit for the mount: started when it responds, restarted when it fails. */
export function unitText(parts: {
  /** The start of the command: the executable and the words before its arguments. */
  readonly program: readonly string[];
  /** The arguments that mount, with absolute paths. */
  readonly argv: readonly string[];
  readonly source: string;
  readonly mountPoint: string;
  readonly isForUser: boolean;
  /** Environment variables that the mount needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Time limit for the end of the mount, in seconds. */
  readonly stopSeconds: number;
}): string {
  const { source, mountPoint, isForUser, stopSeconds } = parts;
  return [
    '[Unit]',
    `Description=${unitValue(`${source} on ${mountPoint}`)} (syncer)`,
    'Wants=network-online.target',
    'After=network-online.target',
    `AssertPathIsDirectory=${unitValue(mountPoint)}`,
    '',
    '[Service]',
    'Type=notify',
    ...unitEnvironmentLines(parts.env),
    `ExecStart=${[...parts.program, ...parts.argv].map(unitWord).join(' ')}`,
    'KillMode=mixed',
    'SuccessExitStatus=143',
    `TimeoutStopSec=${stopSeconds}`,
    'Restart=on-failure',
    'RestartSec=5',
    '',
    '[Install]',
    `WantedBy=${isForUser ? 'default.target' : 'multi-user.target'}`,
    '',
  ].join('\n');
}

/** The parts of a unit from a command line of `mount` and its environment; relative paths start at `folder`. */
export function unitParts(line: {
  readonly args: readonly string[];
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}) {
  const { args, argv, env, folder } = line;
  const [source = '', place = ''] = args;
  const flags = flagSetOf([{ flags: MOUNT_FLAGS }], 'mount', backendFlags());
  return {
    argv: absoluteWords(argv, flags, folder, { localPlace: 2 }),
    source: absoluteSpec(source, folder),
    mountPoint: resolve(folder, place),
    ...unitEnvironment(env, flags, folder),
  };
}
