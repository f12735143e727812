import { bool, commandFlags, duration, int, size, text } from '../../core/flags.ts';

const MIB = 1024 ** 2;

/** Flags of `mount` for the file system and its cache. */
export const VFS_FLAGS = {
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
  ...commandFlags(['mount', 'serve http', 'serve webdav'], {
    'vfs-case-insensitive': bool('Find a file even if the case of its name differs'),
    'vfs-links': bool(
      "Symbolic links are files with the suffix '.rclonelink' that contain the target",
    ),
    'vfs-metadata-extension': text(
      'Show the metadata of NAME as JSON in a file NAME + extension, which is in no listing',
      { placeholder: 'extension' },
    ),
    'mount-no-modtime': bool('Do not read or write modification times', { name: 'no-modtime' }),
    'no-seek': bool('Do not seek: fail out-of-order reads, send files as a whole'),
  }),
};
