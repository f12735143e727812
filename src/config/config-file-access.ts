import { stat } from 'node:fs/promises';
import { SyncerError } from '../core/errors.ts';
import { readWhole } from '../system/read-whole.ts';
import { MOST_CONFIG_BYTES } from './config-path.ts';

/** A configuration that was read when the command line was. */
export interface ReadConfig {
  readonly path: string;
  /** The bytes; `undefined` after the first call: they may have changed since. */
  take(): Buffer | undefined;
}

/** The bytes of the file; `undefined` if it does not exist. Rejects with `config`, or the reason of the signal. */
export async function readIfThere(path: string, title: string, signal?: AbortSignal) {
  try {
    return await readWhole(path, { mostBytes: MOST_CONFIG_BYTES, signal });
  } catch (thrown) {
    if (signal?.aborted && thrown === signal.reason) throw thrown;
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failure(title, 'read', thrown);
  }
}

/** Pipes, sockets and devices can be read, but a file must not replace them. */
export async function refuseSpecial(path: string, title: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  const why = 'it is a pipe, socket or device; use --config with a regular file';
  throw new SyncerError('config', `${title} cannot be written: ${why}`);
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
