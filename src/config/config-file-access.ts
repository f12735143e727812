import { SyncerError } from '../core/errors.ts';

/** A configuration that was read when the command line was. */
export interface ReadConfig {
  readonly path: string;
  /** The bytes; `undefined` after the first call: they may have changed since. */
  take(): Buffer | undefined;
}

/** The error of a file that cannot be read or written. */
export function failure(title: string, done: 'read' | 'written', error: unknown): SyncerError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const why = REASONS[code] ?? message;
  return new SyncerError('config', `${title} cannot be ${done}: ${why}`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not accept files',
  EACCES: 'permission denied for it or its directory',
  EPERM: 'the system does not permit it',
  EROFS: 'it is on a read-only file system',
  EBUSY: 'it is a mount point and cannot be replaced; mount its directory instead',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'its name is too long',
};
