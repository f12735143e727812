import { closeSync, constants, openSync } from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { type Device, fuseDevice } from './fuse-device.ts';
import { openByFusermount } from './fusermount.ts';
import { kernelOptions, type MountRequest, mountFlags } from './mount-request.ts';
import type { SystemCalls } from './system-calls.ts';

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
  const fd = openFuse();
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
  throw mountFailure(mountPoint, errno);
}

function openFuse(): number {
  try {
    return openSync('/dev/fuse', constants.O_RDWR | constants.O_NONBLOCK);
  } catch (cause) {
    throw new SyncerError('other', `cannot open /dev/fuse: ${(cause as Error).message}`, { cause });
  }
}

function mountFailure(mountPoint: string, errno: number): SyncerError {
  const EPERM = 1;
  const EINVAL = 22;
  const why =
    errno === EPERM
      ? 'no permission to mount (in a container: --cap-add SYS_ADMIN --device /dev/fuse)'
      : errno === EINVAL
        ? 'the kernel refused these mount options'
        : `mount(2) failed with errno ${errno}`;
  return new SyncerError('other', `cannot mount on ${mountPoint}: ${why}`, { path: mountPoint });
}

function cString(text: string): Buffer {
  return Buffer.concat([nameToBytes(text), Buffer.of(0)]);
}
