import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readMountTable } from '../../src/fuse/mounts/mount-table.ts';

const run = promisify(execFile);

/** Whether something can be mounted on this machine. */
export const canMount: boolean = (() => {
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    // The effective capabilities hold CAP_SYS_ADMIN, bit 21.
    const [, mask = '0'] =
      /^CapEff:\s*(\w+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return (BigInt(`0x${mask}`) & (1n << 21n)) !== 0n;
  } catch {
    return false;
  }
})();

/** Folders for a test that mounts. */
export interface MountPlace {
  /** An empty folder to mount on. */
  readonly mnt: string;
  /** An empty folder beside it. */
  readonly beside: string;
  readonly base: string;
  /**
   * Ends whatever is still mounted below, so that nothing can wait for it for ever, and removes the folders. A process
   * that waits for a mount cannot be killed but by ending the connection of the kernel.
   */
  remove(): Promise<void>;
}

/** Makes the folders. A test removes them, however it ends. */
export async function makeMountPlace(): Promise<MountPlace> {
  const base = await mkdtemp(join(tmpdir(), 'syncer-mount-'));
  const mnt = join(base, 'mnt');
  const beside = join(base, 'beside');
  await Promise.all([mkdir(mnt), mkdir(beside)]);
  return {
    mnt,
    beside,
    base,
    remove: async () => {
      for (const { mountPoint } of await readMountTable()) {
        if (!mountPoint.startsWith(`${base}/`)) continue;
        // It says that the mount is busy, and ends the connection.
        await run('umount', ['-f', mountPoint]).catch(() => {});
        await run('umount', ['-l', mountPoint]).catch(() => {});
      }
      await rm(base, { recursive: true, force: true });
    },
  };
}
