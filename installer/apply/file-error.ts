import { type ErrorCode, SyncerError } from '../../src/core/errors.ts';

const REASONS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  EACCES: ['access-denied', 'permission denied; run it as root, for example with sudo'],
  EPERM: ['access-denied', 'permission denied; run it as root, for example with sudo'],
  ENOSPC: ['no-space', 'no space left on the disk'],
  EDQUOT: ['no-space', 'the disk quota is used up'],
  EEXIST: ['already-exists', 'it was created by another program'],
  EROFS: ['read-only', 'the file system is read-only'],
  ENOENT: ['file-not-found', 'no such file'],
  ETXTBSY: ['locked', 'the program is running'],
};

/** Runs a piece of work on a file; what the system says of it becomes an error that names the path and what was tried. */
export async function onFile<T>(verb: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof SyncerError) throw thrown;
    const { code = '', message } = thrown as NodeJS.ErrnoException;
    const [kind, why] = REASONS[code] ?? ['other', message];
    throw new SyncerError(kind, `cannot ${verb} ${path}: ${why}`, { path, cause: thrown });
  }
}
