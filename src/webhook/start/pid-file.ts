import { lstat, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../files/make-folder.ts';
import { readRegularFile } from '../../files/read-whole.ts';
import { goErrno } from '../../go/go-errno.ts';

/**
 * Writes the number of this process to a file that must not name another living one; whatever else it holds is
 * replaced. Rejects with an error that says why it cannot be written.
 *
 * @returns deletes the file, if it still holds that number
 */
export async function writePidFile(path: string): Promise<() => Promise<void>> {
  const own = String(process.pid);
  const before = await textIn(path);
  // The own number is that of a former process, as in a container, where it is always the same.
  if (isAlive(pidIn(before)) && before.trim() !== own) {
    throw new Error(
      `Error creating pidfile: pid file found, ensure webhook is not running or delete ${path}`,
    );
  }
  try {
    await makeFolder(dirname(path), 0o755);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFIFO() || found?.isSocket() || found?.isBlockDevice()) {
      throw new Error(`${path} is not a regular file`);
    }
    // Devices are written to, and stay.
    if (!found?.isCharacterDevice()) await rm(path, { force: true });
    await writeFile(path, own, { mode: 0o600 });
  } catch (thrown) {
    const { syscall, path: folder = '' } = thrown as NodeJS.ErrnoException;
    const tried = syscall === 'mkdir' ? `mkdir ${folder}` : `open ${path}`;
    throw new Error(`Error creating pidfile: ${tried}: ${goErrno(thrown)}`, { cause: thrown });
  }
  return async () => {
    if ((await textIn(path)) === own) await rm(path, { force: true });
  };
}

async function textIn(path: string): Promise<string> {
  return await readRegularFile(path).then(String, () => '');
}

/** The number in a pid file, as Go reads it; 0 if there is none. */
function pidIn(text: string): number {
  return /^[+-]?\d+$/.test(text.trim()) ? Number(text) : 0;
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
