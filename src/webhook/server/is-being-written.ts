import type { FileHandle } from 'node:fs/promises';
import { constants } from 'node:os';
import { openRegularFile } from '../../files/read-whole.ts';
import { loadLibc } from '../../native/libc.ts';
import { isLocalAt } from './watch-places.ts';

/** Commands of fcntl(2) on Linux. */
const F_SETSIG = 10;
const F_SETLEASE = 1024;
const F_RDLCK = 0;
/** Is ignored by default: of a program that opens the file during the question. */
const SIGURG = 23;

let fcntl: Promise<
  ((fd: number, command: number, value: number) => boolean | undefined) | undefined
>;

/**
 * Whether any program has a file open for writing. A lease on the file answers that, which its owner and root can take;
 * `undefined` if this cannot be said, as on network file systems, where other machines write.
 */
export async function isBeingWritten(path: string): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return undefined;
  fcntl ??= loadFcntl().catch(() => undefined);
  const call = await fcntl;
  if (call === undefined || !(await isLocalAt(path))) return undefined;
  let file: FileHandle;
  try {
    file = await openRegularFile(path);
  } catch {
    return undefined;
  }
  try {
    if (call(file.fd, F_SETSIG, SIGURG) === undefined) return undefined;
    return call(file.fd, F_SETLEASE, F_RDLCK);
  } finally {
    // Gives the lease back.
    await file.close();
  }
}

async function loadFcntl() {
  const libc = await loadLibc();
  const fcntl = libc.func('fcntl', 'int', ['int', 'int', 'int']);
  return (fd: number, command: number, value: number) => {
    if (Number(fcntl(fd, command, value)) === 0) return false;
    return libc.errno() === constants.errno.EAGAIN ? true : undefined;
  };
}
