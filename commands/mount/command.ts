import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';
import { MOUNT_EXCLUSIONS, MOUNT_FLAGS } from './flags.ts';

export const MOUNT_COMMANDS = commandsOf(() => import('./mount.ts'), MOUNT_FLAGS, {
  mount: usage('remote:path /path/to/mountpoint', 'Mount a remote as a file system', {
    often: ['vfs-cache-mode', 'vfs-cache-max-size', 'read-only', 'allow-other', 'daemon'],
    exclusions: MOUNT_EXCLUSIONS,
    endsItself: true,
    usesTimes: (flags) => !flags['mount-no-modtime'],
    description: `
The mount point must be an empty directory. The command runs until the file system is unmounted; with --daemon it
returns as soon as the mount is ready. To unmount, run

    syncer unmount /path/to/mountpoint

or use fusermount -u, umount, Ctrl-C or SIGTERM. Unmounting waits for pending uploads, at most as long as
--drain-timeout; the next mount of the same remote resumes the rest. SIGHUP refreshes all directory listings.

Without --vfs-cache-mode, files can only be written from start to end. Most programs need --vfs-cache-mode writes;
databases, and programs that read the same data repeatedly, need full.`,
    examples: `
syncer mount shelf:documents ~/shelf --vfs-cache-mode writes  # Mount until Ctrl-C
syncer mount shelf:documents ~/shelf --daemon  # Mount in the background`,
    see: ['mounts', 'unmount'],
  }),
  mounts: usage('', 'List mounts with their pending uploads and cache usage', {
    noun: true,
    examples: `
syncer mounts  # List mounts
syncer mounts --json  # List them as JSON`,
    see: ['mount', 'unmount'],
  }),
  unmount: usage('/path/to/mountpoint', 'Unmount a remote', {
    description: `
Fails if the mount is in use. Pending uploads continue in the background. With --wait, finishes pending uploads first,
then unmounts even if the mount is in use, and returns when the mount process has ended.`,
    examples: `
syncer unmount ~/shelf  # Unmount; uploads continue in the background
syncer unmount ~/shelf --wait  # Finish all uploads first`,
    see: ['mount', 'mounts'],
  }),
});
