import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The commands for mounts. */
export const MOUNT_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./mount.ts'), {
  mount: usage('remote:path /path/to/mountpoint', 'Mount a remote as a file system', {
    endsItself: true,
    description: `
The mount point must be an empty directory. The command runs until the file system is unmounted; with --daemon it
returns as soon as the mount is ready. To unmount, run

    syncer unmount /path/to/mountpoint

or use fusermount -u, umount, Ctrl-C or SIGTERM. Unmounting waits for pending uploads, at most as long as
--drain-timeout; the next mount of the same remote resumes the rest. SIGHUP refreshes all directory listings.

Without --vfs-cache-mode, files can only be written from start to end. Most programs need --vfs-cache-mode writes;
databases, and programs that read the same data repeatedly, need full.`,
  }),
  mounts: usage('', 'List mounts with their pending uploads and cache usage', { noun: true }),
  unmount: usage('/path/to/mountpoint', 'Unmount a remote', {
    description: `
Fails if the mount is in use. Pending uploads continue in the background. With --wait, finishes pending uploads first,
then unmounts even if the mount is in use, and returns when the mount process has ended.`,
  }),
});
