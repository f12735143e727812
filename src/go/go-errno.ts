const TEXTS: Readonly<Record<string, string>> = {
  E2BIG: 'argument list too long',
  EACCES: 'permission denied',
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'cannot assign requested address',
  EAGAIN: 'resource temporarily unavailable',
  EINVAL: 'invalid argument',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'file name too long',
  ENOENT: 'no such file or directory',
  ENOEXEC: 'exec format error',
  ENOMEM: 'cannot allocate memory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
  ERR_FS_EISDIR: 'is a directory',
  ERR_INVALID_ARG_VALUE: 'invalid argument',
  ETXTBSY: 'text file busy',
};

/** The text of a system error in Go's words; of others Node's message. */
export function goErrno(thrown: unknown): string {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return TEXTS[code] ?? message;
}

/** A failure while a request is read or judged, worded as webhook 2.8.0 words it. */
export class GoFault extends Error {}
