import { constants } from 'node:os';
import { getSystemErrorMap, getSystemErrorMessage } from 'node:util';
import { type ErrorCode, SyncerError, toSyncerError } from '../../core/errors.ts';
import { harmlessLine } from '../../core/shown-text.ts';
import { isMountPoint } from '../../system/mounts.ts';

/** The code of a missing file or directory, and of a refused access, for the operation. */
export interface FsErrorMeaning {
  readonly missing?: 'file-not-found' | 'directory-not-found';
  readonly denied?: 'access-denied' | 'unreadable';
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: 'no-space',
  EDQUOT: 'no-space',
  ENAMETOOLONG: 'name-invalid',
  EILSEQ: 'name-invalid',
  EROFS: 'read-only',
  EISDIR: 'not-a-file',
  ENOTDIR: 'not-a-directory',
  ENOTEMPTY: 'not-empty',
  EEXIST: 'already-exists',
  EFBIG: 'too-large',
  // Too many open files: others will be closed soon.
  EMFILE: 'throttled',
  ENFILE: 'throttled',
  ELOOP: 'unreadable',
};

/** Our texts for errors whose libuv text differs from the operating system's. */
const TEXTS: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  EEXIST: 'file exists',
  EDQUOT: 'disk quota exceeded',
};

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: 'check the path',
  EACCES: 'run as a user with that permission, or change the permissions',
  EPERM: 'run as a user with that permission, or change the permissions',
  ENOSPC: 'free some space there and run the command again',
  EDQUOT: 'free some space there and run the command again',
  ENAMETOOLONG: 'shorten the name at the source, or exclude it with --exclude',
  EILSEQ: 'change the name at the source, or exclude it with --exclude',
  EROFS: 'mount it writable, or choose another path',
  ENOTDIR: 'choose a path that does not lead through a file',
  EFBIG: 'choose a file system for larger files, or exclude it with --max-size',
  EMFILE: 'raise the limit of open files (ulimit -n), or lower --transfers and --checkers',
  ENFILE: 'the system has too many open files: try again later',
};

/** An error of Node's `fs` about an absolute path, with the message `open /dir/file: permission denied`. */
export function fsError(
  thrown: unknown,
  action: string,
  path: string,
  { missing = 'file-not-found', denied = 'access-denied' }: FsErrorMeaning = {},
): SyncerError {
  if (thrown instanceof SyncerError || !isErrno(thrown)) return toSyncerError(thrown);
  // libuv does not know a full quota.
  const errno = thrown.errno === -constants.errno.EDQUOT ? 'EDQUOT' : thrown.code;
  const code =
    errno === 'ENOENT'
      ? missing
      : errno === 'EACCES' || errno === 'EPERM'
        ? denied
        : (CODES[errno] ?? 'other');
  const number = thrown.errno;
  const known = number === undefined ? undefined : getSystemErrorMap().get(number)?.[1];
  const isBusyMount = errno === 'EBUSY' && isMountPoint(path);
  const text = isBusyMount
    ? 'is a mount point'
    : (TEXTS[errno] ?? known ?? thrown.message.split('\n', 1)[0] ?? errno);
  return new SyncerError(code, `${action} ${showPath(path)}: ${text}`, {
    path,
    advice: isBusyMount ? 'unmount it first' : ADVICE[errno],
    nameFault: errno === 'ENAMETOOLONG' ? 'length' : undefined,
    cause: thrown,
  });
}

/** Whether `thrown` is an error of Node's `fs` with one of these codes (`ENOENT`). */
export function isFsError(thrown: unknown, ...codes: string[]): boolean {
  return isErrno(thrown) && codes.includes(thrown.code);
}

/** A path in one line: control characters as their symbols. */
export const showPath = (path: string): string => harmlessLine(path);

function isErrno(
  thrown: unknown,
): thrown is Error & { readonly code: string; readonly errno?: number } {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string';
}

/** A call that failed, with the system's number of the error. */
export class AttributeError extends Error {
  readonly errno: number;

  constructor(call: string, errno: number) {
    // Node's text speaks of a socket.
    const isUnsupported = errno === constants.errno.EOPNOTSUPP;
    super(`${call}: ${isUnsupported ? 'operation not supported' : getSystemErrorMessage(-errno)}`);
    this.errno = errno;
  }

  /** The file system, or the type of file, has no such attributes. */
  get isUnsupported(): boolean {
    return this.errno === constants.errno.EOPNOTSUPP || this.errno === constants.errno.EINVAL;
  }
}
