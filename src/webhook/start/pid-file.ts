import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import { goErrno } from '../../go/go-errno.ts';

/**
 * Writes the number of this process to a file that must not name another living one, nor hold anything but a number.
 * Rejects with an error that says why it cannot be written.
 *
 * @returns takes the file away
 */
export async function writePidFile(path: string): Promise<() => Promise<void>> {
  const before = await readFile(path, 'utf8').catch(() => '');
  if (!/^\d*$/.test(before.trim())) {
    throw new Error(`Error creating pidfile: ${path} exists and is not a pid file`);
  }
  if (isAlive(Number(before))) {
    throw new Error(
      `Error creating pidfile: pid file found, ensure webhook is not running or delete ${path}`,
    );
  }
  try {
    await makeFolder(dirname(path), 0o755);
    await rm(path, { force: true });
    await writeFile(path, String(process.pid), { mode: 0o600 });
  } catch (thrown) {
    const { syscall, path: folder = '' } = thrown as NodeJS.ErrnoException;
    const tried = syscall === 'mkdir' ? `mkdir ${folder}` : `open ${path}`;
    throw new Error(`Error creating pidfile: ${tried}: ${goErrno(thrown)}`, { cause: thrown });
  }
  return () => rm(path, { force: true });
}

function isAlive(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
