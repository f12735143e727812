import { bool, commandFlags, duration, int, list, size, text } from '../../src/core/flags.ts';
import type { Exclusion } from '../../src/shell/flags/exclusions.ts';

const MIB = 1024 ** 2;

export const MOUNT_FLAGS = {
  ...commandFlags(['mount'], {
    'allow-other': bool('Allow access by other users'),
    'allow-root': bool('Allow access by root, but no other users'),
    'allow-non-empty': bool('Allow mounting over a directory that is not empty'),
    'mount-force': bool('Unmount a stale mount at the mount point first', { name: 'force' }),
    daemon: bool('Run in the background; return when the mount is ready'),
    'daemon-wait': duration('How long to wait for the mount to be ready', {
      of: 'daemon',
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
  ...commandFlags(['mount'], {
    'vfs-cache-mode': text(
      'What to cache on disk: off, minimal, writes (files until uploaded), full (reads too)',
      { values: ['off', 'minimal', 'writes', 'full'], default: 'off' },
    ),
    'vfs-cache-max-age': duration('How long to keep a cached file after its last use', {
      default: 3_600_000,
    }),
    'vfs-cache-max-size': size('Maximum size of cached files that are not in use', {
      defaultText: 'off',
    }),
    'vfs-cache-min-free-space': size(
      'Space to keep free on the disk of the cache, by evicting files that are not in use',
      { defaultText: 'off' },
    ),
    'vfs-cache-poll-interval': duration('How often to look for files to evict from the cache', {
      default: 60_000,
    }),
    'vfs-write-back': duration('How long to wait after close before uploading a file', {
      default: 5_000,
    }),
    'vfs-read-chunk-size': size(
      'Size of the first range read from a file; it doubles with each read',
      { default: 128 * MIB },
    ),
    'vfs-read-chunk-size-limit': size('Maximum size of a range', { defaultText: 'off' }),
    'vfs-read-chunk-streams': int('Number of parallel streams that read ahead in a file', {
      default: 0,
    }),
    'vfs-read-ahead': size('Extra read-ahead in cache mode full', { default: 0 }),
    'mount-buffer-size': size('Memory for read-ahead per open file', {
      name: 'buffer-size',
      default: 16 * MIB,
    }),
    'vfs-read-wait': duration('How long an out-of-order read waits for earlier reads', {
      default: 20,
    }),
    'vfs-handle-caching': duration('How long to keep the read-ahead of a closed file', {
      default: 5_000,
    }),
    'vfs-write-wait': duration('How long an out-of-order write waits for earlier writes', {
      default: 1_000,
    }),
    'link-perms': text('Permissions of symbolic links before the umask', {
      placeholder: 'octal',
      default: '0666',
    }),
    'vfs-fast-fingerprint': bool('Detect changes without slow hashes and modification times'),
    'vfs-disk-space-total-size': size('Total space that df shows', {
      defaultText: 'as reported by the remote',
    }),
    'vfs-used-is-size': bool(
      'Compute the used space by counting all files instead of asking the remote',
    ),
    'dir-cache-time': duration('How long to cache directory listings', { default: 300_000 }),
    'vfs-refresh': bool('Read all directories in the background after mounting'),
    'poll-interval': duration(
      'How often to poll the remote for changes, if it supports that (0 for never)',
      { default: 60_000 },
    ),
    'no-checksum': bool('Skip the checksum comparison after uploads'),
  }),
};

/** What excludes what among them. */
export const MOUNT_EXCLUSIONS: readonly Exclusion<string>[] = [
  ['allow-root', ['allow-other', 'allow-idmap'], 'only root and the user who mounts may enter'],
];
