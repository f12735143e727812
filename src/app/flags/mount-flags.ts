import type { FlagDefinition } from './flag-definition.ts';

const own = { group: 'command', commands: ['mount'] } as const;

/** Flags of `mount` about the mount itself, its life and its rights. */
export const MOUNT_FLAGS = {
  'allow-other': { ...own, type: 'bool', help: 'Let other users in' },
  'allow-root': { ...own, type: 'bool', help: 'Let root in, and no other users' },
  'allow-non-empty': {
    ...own,
    type: 'bool',
    help: 'Mount even over a directory that is not empty',
  },
  'mount-force': {
    ...own,
    name: 'force',
    type: 'bool',
    help: 'Clear away a stale mount that is in the way',
  },
  daemon: {
    ...own,
    type: 'bool',
    help: 'Go on in the background; returns when the mount answers',
  },
  'daemon-wait': {
    ...own,
    type: 'duration',
    default: 60_000,
    help: 'How long --daemon waits for the mount to answer',
  },
  'daemon-timeout': {
    ...own,
    type: 'duration',
    help: 'Answer a program with ETIMEDOUT when a request took longer than this',
  },
  'drain-timeout': {
    ...own,
    type: 'duration',
    default: 60_000,
    help: 'How long the end of a mount waits for pending uploads; what is left goes on with the next mount',
  },
  'print-unit': {
    ...own,
    type: 'bool',
    help: 'Print a systemd unit that keeps this mount, and mount nothing',
  },
  'mount-option': {
    ...own,
    name: 'option',
    short: 'o',
    type: 'list',
    placeholder: 'options',
    help: 'Options as mount(8) takes them, separated by commas',
  },
  devname: { ...own, type: 'string', help: 'What mount and df show as source (else remote:path)' },
  volname: { ...own, type: 'string', help: 'The same, where --devname is not given' },
  umask: {
    ...own,
    type: 'string',
    placeholder: 'octal',
    defaultText: 'that of the process',
    help: 'Permission bits that nothing on the mount has',
  },
  uid: { ...own, type: 'int', defaultText: "the user's", help: 'The owner of everything' },
  gid: { ...own, type: 'int', defaultText: "the user's", help: 'The group of everything' },
  'dir-perms': {
    ...own,
    type: 'string',
    placeholder: 'octal',
    default: '0777',
    help: 'Permissions of directories, before the umask',
  },
  'file-perms': {
    ...own,
    type: 'string',
    placeholder: 'octal',
    default: '0666',
    help: 'Permissions of files, before the umask',
  },
  'default-permissions': {
    ...own,
    type: 'bool',
    help: 'Let the kernel judge access by owner and permissions',
  },
  'attr-timeout': {
    ...own,
    type: 'duration',
    default: 1_000,
    help: 'How long the kernel keeps attributes and names without asking',
  },
  'max-read-ahead': {
    ...own,
    type: 'size',
    default: 128 * 1024,
    help: 'How far the kernel reads ahead in a file',
  },
  'write-back-cache': {
    ...own,
    type: 'bool',
    help: 'Let the kernel gather writes before it sends them',
  },
  'async-read': {
    ...own,
    type: 'bool',
    default: true,
    help: 'Let the kernel ask for several parts of a file at once',
  },
  'direct-io': { ...own, type: 'bool', help: 'Go past the page cache of the kernel' },
  'debug-fuse': { ...own, type: 'bool', help: 'Log every request of the kernel (with -vv)' },
  'unmount-wait': {
    name: 'wait',
    type: 'bool',
    help: 'Wait until pending uploads are done, and unmount then',
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
