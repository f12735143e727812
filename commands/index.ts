import type { CommandSummary } from '../src/app/command.ts';
import { CONFIG_COMMAND } from './config-commands.ts';
import { HOOK_COMMANDS } from './hook-commands.ts';
import { LISTING_COMMANDS } from './listing-commands.ts';
import { PROGRAM_COMMANDS } from './program-commands.ts';
import { STORE_COMMANDS } from './store-commands.ts';

/** The commands about mounts. */
const MOUNT_COMMANDS: readonly CommandSummary[] = [
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
    load: async () => (await import('./mount.ts')).mountsCommand,
  },
  {
    name: 'unmount',
    usage: '/path/to/mountpoint',
    args: [1, 1],
    summary: 'Unmount what mount has mounted',
    description: `
The mount must not be in use. Its process goes on in the background until pending uploads are done. With --wait they
are done first; then the mount goes even if it is in use, and the command returns when all is over.`,
    load: async () => (await import('./mount.ts')).unmountCommand,
  },
];

const TWO_PATHS = { usage: 'source:path dest:path', args: [2, 2], showsStats: true } as const;

/** Every command: what is known of it without loading it, and how to load it. */
export const COMMANDS: readonly CommandSummary[] = [
  {
    name: 'copy',
    ...TWO_PATHS,
    summary: 'Copy files from source to dest, skipping those that are equal',
    description: `
Deletes nothing at dest. It is the contents of a source directory that are copied, not the directory itself; a
source that is a file is copied into the directory dest. A file is skipped when size and modification time are
equal; when only the times differ and both sides have a hash in common, equal hashes mean that only the time
is set.`,
    load: async () => (await import('./transfer.ts')).copyCommand,
  },
  {
    name: 'sync',
    ...TWO_PATHS,
    summary: 'Make dest equal to source, changing and deleting files at dest only',
    description: `
As copy, and then files at dest that the source does not have are deleted: after all was transferred, and only
when every listing succeeded and nothing failed. Try it with --dry-run first; --backup-dir keeps what would go.`,
    load: async () => (await import('./transfer.ts')).syncCommand,
  },
  {
    name: 'move',
    ...TWO_PATHS,
    summary: 'Move files from source to dest',
    description: `
A file is deleted at the source when it is safe at dest. Directories are left at the source unless
--delete-empty-src-dirs is given.`,
    load: async () => (await import('./transfer.ts')).moveCommand,
  },
  {
    name: 'copyto',
    ...TWO_PATHS,
    summary: 'Copy files from source to dest; a single file gets the name dest',
    description: `
As copy, but a source that is a file is copied to the file dest and not into the directory dest.`,
    load: async () => (await import('./transfer.ts')).copytoCommand,
  },
  {
    name: 'moveto',
    ...TWO_PATHS,
    summary: 'Move files from source to dest; a single file gets the name dest',
    description: `
As move, but a source that is a file becomes the file dest, which may lie in the same directory: a rename.`,
    load: async () => (await import('./transfer.ts')).movetoCommand,
  },
  {
    name: 'check',
    ...TWO_PATHS,
    transfersNothing: true,
    summary: 'Check that the files of source and dest are equal',
    description: `
Compares sizes and modification times; with --checksum sizes and hashes, with --download contents, with
--size-only sizes. Changes nothing. Ends with exit code 1 when anything differs.`,
    load: async () => (await import('./check.ts')).checkCommand,
  },
  ...LISTING_COMMANDS,
  ...STORE_COMMANDS,
  {
    name: 'cleanup',
    usage: 'remote:path',
    args: [1, 1],
    summary: 'Remove what runs that were broken off have left',
    description: `
On object storage: uploads in parts that were begun longer than --older-than ago and never completed. On local
disks: temporary files whose process has ended, and those of other machines that have not changed for that long.
On drives: old versions of all files, whatever their age; copies that never got their name; and files that had made
room for another one get their name back, or are deleted where it is taken by now.`,
    load: async () => (await import('./features.ts')).cleanupCommand,
  },
  {
    name: 'serve',
    usage: 's3 path',
    args: [2, 2],
    summary: 'Serve a folder of this machine by the S3 protocol',
    description: `
Each folder in path is a bucket, and each file in it an object, also one that another program puts there. Symbolic
links are neither. What clients send besides the content is kept in a folder .syncer-s3 in each bucket. Clients sign in
with the keys that --auth-key gives; without any, everybody may. Requests for what the server does not do are refused.
Ends on Ctrl-C.`,
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  {
    name: 'listremotes',
    usage: '',
    args: [0, 0],
    summary: 'List the remotes of the configuration',
    load: async () => (await import('./remotes.ts')).listremotesCommand,
  },
  {
    name: 'authorize',
    usage: 'kind [client_id [client_secret]]',
    args: [1, 3],
    secretArg: 2,
    summary: 'Log in to a cloud drive and print the token for another machine',
    description: `
Opens the login in the browser, waits until the person is back from it, and prints the token as JSON between two marks.
Where there is no display, and with --device, the login is done on another device: a link and a code are shown. Flags
such as --onedrive-tenant and --onedrive-region say where to log in.`,
    load: async () => (await import('./remotes.ts')).authorizeCommand,
  },
  CONFIG_COMMAND,
  ...MOUNT_COMMANDS,
  ...HOOK_COMMANDS,
  ...PROGRAM_COMMANDS,
];
