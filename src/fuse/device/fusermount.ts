import { spawn } from 'node:child_process';
import { closeSync, constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { SyncerError } from '../../core/errors.ts';
import { fusermountOptions, type MountRequest } from './mount-request.ts';
import type { SystemCalls } from './system-calls.ts';

const SCM_RIGHTS = 1;

const MSG_CMSG_CLOEXEC = 0x40000000;

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_CLOEXEC = 0o2000000;
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;

/** The programs that mount for users, the newer first. */
export const FUSERMOUNT = ['fusermount3', 'fusermount'] as const;

/** Mounts by fusermount, which sends the descriptor of `/dev/fuse` over a socket. Rejects with its complaint. */
export async function openByFusermount(
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
    if (fd === undefined) throw mountFailure(request.mountPoint, complaint);
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
  { path }: FoundProgram,
  request: MountRequest,
  socket: number,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const words = ['-o', fusermountOptions(request), '--', request.mountPoint];
  const child = spawn(path, words, {
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

function mountFailure(mountPoint: string, complaint: string): SyncerError {
  const said = complaint.split('\n').at(-1) || 'fusermount failed without a message';
  const advice = said.includes('user_allow_other')
    ? 'add the line user_allow_other to /etc/fuse.conf, or mount without --allow-other'
    : undefined;
  return new SyncerError('other', `cannot mount on ${mountPoint}: ${said}`, {
    path: mountPoint,
    advice,
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

/** An installed program. */
export interface FoundProgram {
  readonly name: string;
  readonly path: string;
}

/** Where to look for programs besides `PATH`: services of systemd have none. */
const USUAL_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'];

/** The first of these programs that is installed. */
export async function findProgram(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<FoundProgram | undefined> {
  const folders = (env['PATH'] ?? '').split(':').filter(isAbsolute);
  for (const name of names) {
    for (const folder of [...folders, ...USUAL_FOLDERS]) {
      const path = join(folder, name);
      if (await isExecutable(path)) return { name, path };
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
