import { commandFlags } from './flag-definition.ts';

/** Flags of `mount` for the mount itself, its lifetime and permissions. */
export const MOUNT_FLAGS = {
  ...commandFlags(['mount'], {
    'allow-other': { type: 'bool', help: 'Allow access by other users' },
    'allow-root': { type: 'bool', help: 'Allow access by root, but no other users' },
    'allow-non-empty': { type: 'bool', help: 'Allow mounting over a directory that is not empty' },
    'mount-force': {
      name: 'force',
      type: 'bool',
      help: 'Unmount a stale mount at the mount point first',
    },
    daemon: { type: 'bool', help: 'Run in the background; return when the mount is ready' },
    'daemon-wait': {
      type: 'duration',
      default: 60_000,
      help: 'How long --daemon waits for the mount to be ready',
    },
    'daemon-timeout': {
      type: 'duration',
      help: 'Fail file system requests with ETIMEDOUT after this long',
    },
    'drain-timeout': {
      type: 'duration',
      default: 60_000,
      help: 'How long to wait for pending uploads on unmount; the next mount resumes the rest',
    },
    'mount-option': {
      name: 'option',
      short: 'o',
      type: 'list',
      placeholder: 'options',
      help: 'Comma-separated mount(8) options',
    },
    devname: { type: 'string', help: 'Source that mount and df show (default remote:path)' },
    volname: { type: 'string', help: 'Source that mount and df show if --devname is not given' },
    umask: {
      type: 'string',
      placeholder: 'octal',
      defaultText: 'the process umask',
      help: 'Permission bits to clear on all files and directories',
    },
    uid: { type: 'int', defaultText: "the user's", help: 'Owner of all files and directories' },
    gid: { type: 'int', defaultText: "the user's", help: 'Group of all files and directories' },
    'dir-perms': {
      type: 'string',
      placeholder: 'octal',
      default: '0777',
      help: 'Directory permissions before the umask',
    },
    'file-perms': {
      type: 'string',
      placeholder: 'octal',
      default: '0666',
      help: 'File permissions before the umask',
    },
    'allow-idmap': {
      type: 'bool',
      help: 'Allow mounts of it that map owners (Linux 6.12); implies --default-permissions',
    },
    'default-permissions': { type: 'bool', help: 'Let the kernel enforce owner and permissions' },
    'attr-timeout': {
      type: 'duration',
      default: 1_000,
      help: 'How long the kernel caches attributes and names',
    },
    'max-read-ahead': { type: 'size', default: 128 * 1024, help: 'Kernel read-ahead' },
    'write-back-cache': { type: 'bool', help: 'Let the kernel buffer writes' },
    'async-read': { type: 'bool', default: true, help: 'Allow parallel kernel reads of one file' },
    'direct-io': { type: 'bool', help: 'Bypass the kernel page cache' },
    'debug-fuse': { type: 'bool', help: 'Log each FUSE request (with -vv)' },
  }),
  ...commandFlags(['unmount'], {
    'unmount-wait': { name: 'wait', type: 'bool', help: 'Wait for pending uploads, then unmount' },
  }),
  ...commandFlags(['mounts'], {
    'mounts-json': { name: 'json', type: 'bool', help: 'Print JSON' },
  }),
};
