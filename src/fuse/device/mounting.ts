import { execFile, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { ERRNO } from '../session/errno.ts';
import { type Device, fuseDevice, type SystemCalls } from './fuse-device.ts';

/** The programs that mount for users, the newer first. */
export const FUSERMOUNT = ['fusermount3', 'fusermount'] as const;

/** Mounts, and opens the channel to the kernel: as root by mount(2), else by fusermount. Rejects with `other`. */
export async function openDevice(
  libc: SystemCalls,
  request: MountRequest,
  env: NodeJS.ProcessEnv,
): Promise<Device> {
  const uid = process.geteuid?.() ?? 0;
  const fd = uid === 0 ? mountAsRoot(libc, request) : await openByFusermount(libc, request, env);
  return fuseDevice(libc, fd);
}

function mountAsRoot(libc: SystemCalls, request: MountRequest): number {
  const { mountPoint, source, subtype } = request;
  let fd: number;
  try {
    fd = openSync('/dev/fuse', constants.O_RDWR | constants.O_NONBLOCK);
  } catch (cause) {
    throw new SyncerError('other', `cannot open /dev/fuse: ${(cause as Error).message}`, { cause });
  }
  const gid = process.getegid?.() ?? 0;
  const result = libc.mount(
    cString(source),
    cString(mountPoint),
    cString(`fuse.${subtype}`),
    mountFlags(request),
    cString(kernelOptions(request, fd, 0, gid)),
  );
  if (result === 0) return fd;
  const errno = libc.errno();
  closeSync(fd);
  const why = MOUNT_FAULTS[errno] ?? `mount(2) failed with errno ${errno}`;
  throw new SyncerError('other', `cannot mount on ${mountPoint}: ${why}`, { path: mountPoint });
}

const MOUNT_FAULTS: Readonly<Record<number, string>> = {
  [ERRNO.EPERM]: 'no permission to mount (in a container: --cap-add SYS_ADMIN --device /dev/fuse)',
  [ERRNO.EINVAL]: 'the kernel refused these mount options',
};

const cString = (text: string): Buffer => Buffer.concat([nameToBytes(text), Buffer.of(0)]);

/** The options for mount(2), which come as text. */
export function kernelOptions(request: MountRequest, fd: number, uid: number, gid: number): string {
  const own = [`fd=${fd}`, 'rootmode=40000', `user_id=${uid}`, `group_id=${gid}`];
  return [...new Set([...own, ...fuseOptions(request)])].join(',');
}

/** The options for fusermount. */
export function fusermountOptions(request: MountRequest): string {
  const { source, subtype, readOnly, allowNonEmpty, options } = request;
  const named = [`fsname=${source.replace(/[\\,]/g, '\\$&')}`, `subtype=${subtype}`];
  const bits = options.filter(isBit);
  if (readOnly) bits.push('ro');
  // fusermount of FUSE 3 ignores it.
  if (allowNonEmpty) bits.push('nonempty');
  return [...new Set([...named, ...bits, ...fuseOptions(request)])].join(',');
}

function fuseOptions(request: MountRequest): string[] {
  const { allowOther, defaultPermissions, options } = request;
  return [
    ...(allowOther ? ['allow_other'] : []),
    ...(defaultPermissions ? ['default_permissions'] : []),
    ...options.filter((option) => KERNEL_OPTION.test(option)),
  ];
}

export interface MountRequest {
  /** Absolute, without links. */
  readonly mountPoint: string;
  /** What `mount` and `df` show as its source: `remote:path`. */
  readonly source: string;
  /** The type is `fuse.` and this. */
  readonly subtype: string;
  readonly allowOther: boolean;
  readonly defaultPermissions: boolean;
  readonly readOnly: boolean;
  /** fusermount of FUSE 2 needs an option for it. */
  readonly allowNonEmpty: boolean;
  /** Further options of mount(8): `noatime`, `nosuid`, `noexec`. */
  readonly options: readonly string[];
}

/** The bits for mount(2). Set-user-ID programs and devices of a remote are disabled by default. */
export function mountFlags({ readOnly, options }: MountRequest): number {
  let flags = 0;
  for (const option of ['nosuid', 'nodev', ...options, ...(readOnly ? ['ro'] : [])]) {
    for (const [sets, clears, bit] of BITS) {
      if (option === sets) flags |= bit;
      else if (option === clears) flags &= ~bit;
    }
  }
  return flags;
}

/** The bits of mount(2), with the options of mount(8) that set and clear them. */
const BITS: readonly (readonly [sets: string, clears: string | undefined, bit: number])[] = [
  ['ro', 'rw', 1],
  ['nosuid', 'suid', 2],
  ['nodev', 'dev', 4],
  ['noexec', 'exec', 8],
  ['sync', 'async', 16],
  ['dirsync', undefined, 128],
  ['noatime', 'atime', 1024],
  ['nodiratime', 'diratime', 2048],
  ['relatime', 'norelatime', 1 << 21],
  ['strictatime', 'nostrictatime', 1 << 24],
];

function isBit(option: string): boolean {
  return BITS.some(([sets, clears]) => option === sets || option === clears);
}

/** Further options of the kernel's FUSE file system. */
const KERNEL_OPTION = /^(allow_other|default_permissions|max_read=\d+)$/;

/** Whether an `-o` option is one of the mount itself. */
export function isMountOption(option: string): boolean {
  return isBit(option) || KERNEL_OPTION.test(option);
}

/** What unmounts, best first: a mount that nothing uses, or whatever uses it. */
function waysOff(mountPoint: string, isLazy: boolean): [program: string, words: string[]][] {
  const ways = FUSERMOUNT.map((program) => [program, isLazy ? '-uz' : '-u'] as const);
  return [...ways, ['umount', isLazy ? '-l' : '-i'] as const].map(([program, option]) => [
    program,
    [option, '--', mountPoint],
  ]);
}

/**
 * Detaches the mount; open files in it work until they are closed. `false` if nothing could, for instance because it
 * is gone.
 */
export async function unmountLazily(mountPoint: string): Promise<boolean> {
  return (await tryUnmount(mountPoint, true)) === undefined;
}

/**
 * Unmounts if nothing uses the mount. Resolves to the error message if that fails.
 *
 * @param waitMs for how long it is tried again while the mount is busy, in milliseconds
 */
export async function unmountUnused(
  mountPoint: string,
  waitMs: number,
): Promise<string | undefined> {
  const end = Date.now() + waitMs;
  for (;;) {
    const complaint = await tryUnmount(mountPoint, false);
    if (complaint === undefined || !/busy/i.test(complaint) || Date.now() >= end) return complaint;
    await sleep(300);
  }
}

async function tryUnmount(mountPoint: string, isLazy: boolean): Promise<string | undefined> {
  let complaint = '';
  for (const [program, words] of waysOff(mountPoint, isLazy)) {
    // The output of a program that fails, in English; `''` if it could not be started (127 of env(1)).
    const failure = await new Promise<string | undefined>((resolve) => {
      const all = ['LC_ALL=C', program, ...words];
      execFile('env', all, { timeout: 10_000 }, (error, _stdout, stderr) => {
        if (error === null) resolve(undefined);
        else resolve(error.code === 127 ? '' : stderr.trim() || error.message);
      });
    });
    if (failure === undefined) return undefined;
    complaint ||= failure;
  }
  return complaint || 'neither fusermount nor umount is installed';
}

/** As `unmountLazily`, synchronously: for a process that is ending. */
export function unmountAtExit(mountPoint: string): void {
  for (const [program, words] of waysOff(mountPoint, true)) {
    const { status } = spawnSync(program, words, { stdio: 'ignore', timeout: 5_000 });
    if (status === 0) return;
  }
}

const SCM_RIGHTS = 1;
const MSG_CMSG_CLOEXEC = 0x40000000;
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;

/** Mounts by fusermount, which sends the descriptor of `/dev/fuse` over a socket. Rejects with its complaint. */
async function openByFusermount(
  libc: SystemCalls,
  request: MountRequest,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const program = await findProgram(FUSERMOUNT, env);
  if (program === undefined) throw noFusermount();
  const pair = Buffer.alloc(8);
  // Without CLOEXEC fusermount would inherit the other end of its own socket.
  if (libc.socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
    throw new SyncerError('other', `cannot make a socket: errno ${libc.errno()}`);
  }
  const [ours, theirs] = [pair.readInt32LE(0), pair.readInt32LE(4)];
  const finished = runFusermount(program, request, theirs, env);
  closeSync(theirs);
  try {
    const fd = await receiveDescriptor(libc, ours);
    const complaint = await finished;
    if (fd === undefined) {
      const { mountPoint: path } = request;
      const said = complaint.split('\n').at(-1) || 'fusermount failed without a message';
      const advice = said.includes('user_allow_other')
        ? 'add the line user_allow_other to /etc/fuse.conf, or mount without --allow-other'
        : undefined;
      throw new SyncerError('other', `cannot mount on ${path}: ${said}`, { path, advice });
    }
    libc.fcntl(fd, F_SETFL, libc.fcntl(fd, F_GETFL, 0) | O_NONBLOCK);
    return fd;
  } finally {
    closeSync(ours);
  }
}

/** The error if there is no fusermount. */
export function noFusermount(): SyncerError {
  return new SyncerError(
    'other',
    'mounting needs the program fusermount3, which is not installed: apt-get install fuse3 (or fuse)',
  );
}

/** Starts it with the socket as descriptor 3; resolves to its output when it has ended. */
function runFusermount(
  program: string,
  request: MountRequest,
  socket: number,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const words = ['-o', fusermountOptions(request), '--', request.mountPoint];
  const child = spawn(program, words, {
    stdio: ['ignore', 'ignore', 'pipe', socket],
    env: { ...env, _FUSE_COMMFD: '3' },
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', () => resolve(said.trim()));
  });
}

/**
 * Receives a descriptor over a unix socket, with one byte; `undefined` at its end. The structures are those of 64-bit
 * Linux.
 */
async function receiveDescriptor(libc: SystemCalls, socket: number): Promise<number | undefined> {
  const byte = Buffer.alloc(8);
  const control = Buffer.alloc(24);
  const vector = Buffer.alloc(16);
  vector.writeBigUInt64LE(libc.address(byte), 0);
  vector.writeBigUInt64LE(1n, 8);
  const message = Buffer.alloc(56);
  message.writeBigUInt64LE(libc.address(vector), 16);
  message.writeBigUInt64LE(1n, 24);
  message.writeBigUInt64LE(libc.address(control), 32);
  message.writeBigUInt64LE(BigInt(control.length), 40);
  const length = await new Promise<number>((resolve, reject) => {
    libc.recvmsg.async(socket, message, MSG_CMSG_CLOEXEC, (error: unknown, result: number) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
  // The addresses above do not keep the buffers alive by themselves.
  const isKept = byte.length + vector.length > 0;
  const hasDescriptor = isKept && length > 0 && control.readInt32LE(12) === SCM_RIGHTS;
  return hasDescriptor ? control.readInt32LE(16) : undefined;
}

/** Where to look for programs besides `PATH`: services of systemd have none. */
const USUAL_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'];

/** The path of the first of these programs that is installed. */
export async function findProgram(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const folders = (env['PATH'] ?? '').split(':').filter(isAbsolute);
  for (const name of names) {
    for (const folder of [...folders, ...USUAL_FOLDERS]) {
      const path = join(folder, name);
      try {
        await access(path, constants.X_OK);
        return path;
      } catch {
        // The next one may be there.
      }
    }
  }
  return undefined;
}
