const TEXTS: Readonly<Record<string, string>> = {
  ERR_FS_EISDIR: 'is a directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
};

/** What the system said of a file, in Go's words; where these are not known, in Node's. */
export function goErrno(thrown: unknown): string {
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  return TEXTS[code] ?? message;
}
