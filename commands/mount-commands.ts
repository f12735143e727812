import type { CommandSummary } from '../src/app/command.ts';

/** The commands about mounts. */
export const MOUNT_COMMANDS: readonly CommandSummary[] = [
  {
    name: 'mount',
    usage: 'remote:path /path/to/mountpoint',
    args: [2, 2],
    endsItself: true,
    summary: 'Mount a remote as a file system',
    description: `
The mount point is an empty directory; the command goes on until the mount is gone. With --daemon it returns as soon
as the mount answers. End it with

    syncer unmount /path/to/mountpoint

or fusermount -u, umount, Ctrl-C or SIGTERM: pending uploads are waited for, for as long as --drain-timeout says, and
what is left goes on with the next mount of the same remote. SIGHUP has all directories listed anew.

Without --vfs-cache-mode files can only be written from start to end; most programs want --vfs-cache-mode writes, and
databases or programs that read the same parts again and again want full.`,
    load: async () => (await import('./mount.ts')).mountCommand,
  },
  {
    name: 'mounts',
    usage: '',
    args: [0, 0],
    summary: 'List what is mounted, with pending uploads and the use of the cache',
    load: async () => (await import('./mounts.ts')).mountsCommand,
  },
  {
    name: 'unmount',
    usage: '/path/to/mountpoint',
    args: [1, 1],
    summary: 'Unmount what mount has mounted',
    description: `
The mount must not be in use. Its process goes on in the background until pending uploads are done. With --wait they
are done first; then the mount goes even if it is in use, and the command returns when all is over.`,
    load: async () => (await import('./unmount.ts')).unmountCommand,
  },
];
