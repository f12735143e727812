import { type ErrorCode, SyncerError } from '../../core/errors.ts';
import { NAME_LENGTH } from '../../vfs/mount-ops.ts';

/** Error numbers of Linux on x64 and arm64. */
export const ERRNO = {
  EPERM: 1,
  ENOENT: 2,
  EINTR: 4,
  EIO: 5,
  EAGAIN: 11,
  EACCES: 13,
  EEXIST: 17,
  EXDEV: 18,
  ENOTDIR: 20,
  EISDIR: 21,
  EINVAL: 22,
  EFBIG: 27,
  ENOSPC: 28,
  ESPIPE: 29,
  EROFS: 30,
  ENAMETOOLONG: 36,
  ENOSYS: 38,
  ENOTEMPTY: 39,
  EOPNOTSUPP: 95,
  ETIMEDOUT: 110,
  ESTALE: 116,
} as const;

/** The errno for a program on the mount, by the code of the error. */
const BY_CODE: Partial<Record<ErrorCode, number>> = {
  usage: ERRNO.EINVAL,
  'access-denied': ERRNO.EACCES,
  archived: ERRNO.EACCES,
  'sign-in': ERRNO.EACCES,
  'sign-in-needed': ERRNO.EACCES,
  'bucket-not-found': ERRNO.ENOENT,
  'directory-not-found': ERRNO.ENOENT,
  'file-not-found': ERRNO.ENOENT,
  'already-exists': ERRNO.EEXIST,
  'not-a-file': ERRNO.EISDIR,
  'not-a-directory': ERRNO.ENOTDIR,
  'not-empty': ERRNO.ENOTEMPTY,
  'no-space': ERRNO.ENOSPC,
  'quota-exceeded': ERRNO.ENOSPC,
  'name-too-long': ERRNO.ENAMETOOLONG,
  'read-only': ERRNO.EROFS,
  'too-large': ERRNO.EFBIG,
  unreadable: ERRNO.EACCES,
  'source-changed': ERRNO.ESTALE,
  'precondition-failed': ERRNO.ESTALE,
  'timed-out': ERRNO.ETIMEDOUT,
  unsupported: ERRNO.EOPNOTSUPP,
  interrupted: ERRNO.EINTR,
  terminated: ERRNO.EINTR,
};

/** The errno for any thrown value; EIO by default. */
export function errnoOf(thrown: unknown): number {
  if (!(thrown instanceof SyncerError)) return ERRNO.EIO;
  const { code, path = '', nameFault } = thrown;
  if (code !== 'name-invalid') return BY_CODE[code] ?? ERRNO.EIO;
  const length = Buffer.byteLength(path.slice(path.lastIndexOf('/') + 1));
  return length > NAME_LENGTH || nameFault === 'length' ? ERRNO.ENAMETOOLONG : ERRNO.EINVAL;
}

/** Whether programs expect such an error: then it is not logged. */
export function isEveryday(errno: number): boolean {
  return errno !== ERRNO.EIO && errno !== ERRNO.EACCES && errno !== ERRNO.ETIMEDOUT;
}
