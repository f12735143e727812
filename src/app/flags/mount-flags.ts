import { bool, commandFlags, duration, int, list, size, text } from '../../core/flags.ts';

/** Flags of `mount` for the mount itself, its lifetime and permissions. */
export const MOUNT_FLAGS = {
  ...commandFlags(['mount'], {
    'allow-other': bool('Allow access by other users'),
    'allow-root': bool('Allow access by root, but no other users'),
    'allow-non-empty': bool('Allow mounting over a directory that is not empty'),
    'mount-force': bool('Unmount a stale mount at the mount point first', { name: 'force' }),
    daemon: bool('Run in the background; return when the mount is ready'),
    'daemon-wait': duration('How long --daemon waits for the mount to be ready', {
      default: 60_000,
    }),
    'daemon-timeout': duration('Fail file system requests with ETIMEDOUT after this long'),
    'drain-timeout': duration(
      'How long to wait for pending uploads on unmount; the next mount resumes the rest',
      { default: 60_000 },
    ),
    'mount-option': list('Comma-separated mount(8) options', {
      name: 'option',
      short: 'o',
      placeholder: 'options',
    }),
    devname: text('Source that mount and df show (default remote:path)'),
    volname: text('Source that mount and df show if --devname is not given'),
    umask: text('Permission bits to clear on all files and directories', {
      placeholder: 'octal',
      defaultText: 'the process umask',
    }),
    uid: int('Owner of all files and directories', { defaultText: "the user's" }),
    gid: int('Group of all files and directories', { defaultText: "the user's" }),
    'dir-perms': text('Directory permissions before the umask', {
      placeholder: 'octal',
      default: '0777',
    }),
    'file-perms': text('File permissions before the umask', {
      placeholder: 'octal',
      default: '0666',
    }),
    'allow-idmap': bool(
      'Allow mounts of it that map owners (Linux 6.12); implies --default-permissions',
    ),
    'default-permissions': bool('Let the kernel enforce owner and permissions'),
    'attr-timeout': duration('How long the kernel caches attributes and names', { default: 1_000 }),
    'max-read-ahead': size('Kernel read-ahead', { default: 128 * 1024 }),
    'write-back-cache': bool('Let the kernel buffer writes'),
    'async-read': bool('Allow parallel kernel reads of one file', { default: true }),
    'direct-io': bool('Bypass the kernel page cache'),
    'debug-fuse': bool('Log each FUSE request (with -vv)'),
  }),
  ...commandFlags(['unmount'], {
    'unmount-wait': bool('Wait for pending uploads, then unmount', { name: 'wait' }),
  }),
  ...commandFlags(['mounts'], { 'mounts-json': bool('Print JSON', { name: 'json' }) }),
};
