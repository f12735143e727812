import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether `withDisk` works here: it takes root, and a machine that lets root mount. */
export const canMount = (() => {
  if (process.getuid?.() !== 0) return false;
  const dir = mkdtempSync(join(tmpdir(), 'syncer-mount-'));
  try {
    mount(dir, 'size=64k');
    execFileSync('umount', [dir]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(dir);
  }
})();

/** Runs `work` with a disk in memory mounted at `dir`, with these mount options, and unmounts it. */
export async function withDisk<T>(
  dir: string,
  options: string,
  work: () => Promise<T>,
): Promise<T> {
  mount(dir, options);
  try {
    return await work();
  } finally {
    execFileSync('umount', [dir]);
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Mounts once more what is mounted at `dir`, with other options. */
export function remount(dir: string, options: string): void {
  execFileSync('mount', ['-o', `remount,${options}`, dir]);
}

function mount(dir: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', dir], { stdio: 'pipe' });
}
