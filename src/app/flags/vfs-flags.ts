import { commandFlags } from './flag-definition.ts';

const MIB = 1024 ** 2;

/** Flags of `mount` for the file system and its cache. */
export const VFS_FLAGS = {
  ...commandFlags(['mount'], {
    'vfs-cache-mode': {
      type: 'string',
      values: ['off', 'minimal', 'writes', 'full'],
      default: 'off',
      help: 'What to cache on disk: off, minimal, writes (files until uploaded), full (reads too)',
    },
    'vfs-cache-max-age': {
      type: 'duration',
      default: 3_600_000,
      help: 'How long to keep a cached file after its last use',
    },
    'vfs-cache-max-size': {
      type: 'size',
      defaultText: 'off',
      help: 'Maximum size of cached files that are not in use',
    },
    'vfs-cache-min-free-space': {
      type: 'size',
      defaultText: 'off',
      help: 'Space to keep free on the disk of the cache, by evicting files that are not in use',
    },
    'vfs-cache-poll-interval': {
      type: 'duration',
      default: 60_000,
      help: 'How often to look for files to evict from the cache',
    },
    'vfs-write-back': {
      type: 'duration',
      default: 5_000,
      help: 'How long to wait after close before uploading a file',
    },
    'vfs-read-chunk-size': {
      type: 'size',
      default: 128 * MIB,
      help: 'Size of the first range read from a file; it doubles with each read',
    },
    'vfs-read-chunk-size-limit': {
      type: 'size',
      defaultText: 'off',
      help: 'Maximum size of a range',
    },
    'vfs-read-chunk-streams': {
      type: 'int',
      default: 0,
      help: 'Number of parallel streams that read ahead in a file',
    },
    'vfs-read-ahead': { type: 'size', default: 0, help: 'Extra read-ahead in cache mode full' },
    'mount-buffer-size': {
      name: 'buffer-size',
      type: 'size',
      default: 16 * MIB,
      help: 'Memory for read-ahead per open file',
    },
    'vfs-read-wait': {
      type: 'duration',
      default: 20,
      help: 'How long an out-of-order read waits for earlier reads',
    },
    'vfs-handle-caching': {
      type: 'duration',
      default: 5_000,
      help: 'How long to keep the read-ahead of a closed file',
    },
    'vfs-write-wait': {
      type: 'duration',
      default: 1_000,
      help: 'How long an out-of-order write waits for earlier writes',
    },
    'link-perms': {
      type: 'string',
      placeholder: 'octal',
      default: '0666',
      help: 'Permissions of symbolic links before the umask',
    },
    'vfs-fast-fingerprint': {
      type: 'bool',
      help: 'Detect changes without slow hashes and modification times',
    },
    'vfs-disk-space-total-size': {
      type: 'size',
      defaultText: 'as reported by the remote',
      help: 'Total space that df shows',
    },
    'vfs-used-is-size': {
      type: 'bool',
      help: 'Compute the used space by counting all files instead of asking the remote',
    },
    'dir-cache-time': {
      type: 'duration',
      default: 300_000,
      help: 'How long to cache directory listings',
    },
    'vfs-refresh': {
      type: 'bool',
      help: 'Read all directories in the background after mounting',
    },
    'poll-interval': {
      type: 'duration',
      default: 60_000,
      help: 'How often to poll the remote for changes, if it supports that (0 for never)',
    },
    'no-checksum': { type: 'bool', help: 'Skip the checksum comparison after uploads' },
  }),
  ...commandFlags(['mount', 'serve http', 'serve webdav'], {
    'vfs-case-insensitive': {
      type: 'bool',
      help: 'Find a file even if the case of its name differs',
    },
    'vfs-links': {
      type: 'bool',
      help: "Symbolic links are files with the suffix '.rclonelink' that contain the target",
    },
    'vfs-metadata-extension': {
      type: 'string',
      placeholder: 'extension',
      help: 'Show the metadata of NAME as JSON in a file NAME + extension, which is in no listing',
    },
    'mount-no-modtime': {
      name: 'no-modtime',
      type: 'bool',
      help: 'Do not read or write modification times',
    },
    'no-seek': {
      type: 'bool',
      help: 'Do not seek: fail out-of-order reads, send files as a whole',
    },
  }),
};
