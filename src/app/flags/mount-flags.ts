import type { FlagDefinition } from './flag-definition.ts';

const own = { group: 'command', commands: ['mount'] } as const;

/** Flags of `mount` about the mount itself, its life and its rights. */
export const MOUNT_FLAGS = {
  'allow-other': { ...own, type: 'bool', help: 'Allow access by other users' },
  'allow-root': { ...own, type: 'bool', help: 'Allow access by root, but no other users' },
  'allow-non-empty': {
    ...own,
    type: 'bool',
    help: 'Allow mounting over a directory that is not empty',
  },
  'mount-force': {
    ...own,
    name: 'force',
    type: 'bool',
    help: 'Unmount a stale mount at the mount point first',
  },
  daemon: {
    ...own,
    type: 'bool',
    help: 'Run in the background; return when the mount is ready',
  },
  'daemon-wait': {
    ...own,
    type: 'duration',
    default: 60_000,
    help: 'How long --daemon waits for the mount to be ready',
  },
  'daemon-timeout': {
    ...own,
    type: 'duration',
    help: 'Fail file system requests with ETIMEDOUT after this long',
  },
  'drain-timeout': {
    ...own,
    type: 'duration',
    default: 60_000,
    help: 'How long to wait for pending uploads on unmount; the next mount resumes the rest',
  },
  'print-unit': {
    ...own,
    type: 'bool',
    help: 'Print a systemd unit for this mount instead of mounting',
  },
  'mount-option': {
    ...own,
    name: 'option',
    short: 'o',
    type: 'list',
    placeholder: 'options',
    help: 'Comma-separated mount(8) options',
  },
  devname: { ...own, type: 'string', help: 'Source that mount and df show (default remote:path)' },
  volname: {
    ...own,
    type: 'string',
    help: 'Source that mount and df show if --devname is not given',
  },
  umask: {
    ...own,
    type: 'string',
    placeholder: 'octal',
    defaultText: 'the process umask',
    help: 'Permission bits to clear on all files and directories',
  },
  uid: {
    ...own,
    type: 'int',
    defaultText: "the user's",
    help: 'Owner of all files and directories',
  },
  gid: {
    ...own,
    type: 'int',
    defaultText: "the user's",
    help: 'Group of all files and directories',
  },
  'dir-perms': {
    ...own,
    type: 'string',
    placeholder: 'octal',
    default: '0777',
    help: 'Directory permissions before the umask',
  },
  'file-perms': {
    ...own,
    type: 'string',
    placeholder: 'octal',
    default: '0666',
    help: 'File permissions before the umask',
  },
  'default-permissions': {
    ...own,
    type: 'bool',
    help: 'Let the kernel enforce owner and permissions',
  },
  'attr-timeout': {
    ...own,
    type: 'duration',
    default: 1_000,
    help: 'How long the kernel caches attributes and names',
  },
  'max-read-ahead': {
    ...own,
    type: 'size',
    default: 128 * 1024,
    help: 'Kernel read-ahead',
  },
  'write-back-cache': {
    ...own,
    type: 'bool',
    help: 'Let the kernel buffer writes',
  },
  'async-read': {
    ...own,
    type: 'bool',
    default: true,
    help: 'Allow parallel kernel reads of one file',
  },
  'direct-io': { ...own, type: 'bool', help: 'Bypass the kernel page cache' },
  'debug-fuse': { ...own, type: 'bool', help: 'Log each FUSE request (with -vv)' },
  'unmount-wait': {
    name: 'wait',
    type: 'bool',
    help: 'Wait for pending uploads, then unmount',
    group: 'command',
    commands: ['unmount'],
  },
  'mounts-json': {
    name: 'json',
    type: 'bool',
    help: 'Print JSON',
    group: 'command',
    commands: ['mounts'],
  },
} as const satisfies Record<string, FlagDefinition>;
