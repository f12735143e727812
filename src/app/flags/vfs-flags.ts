import type { FlagDefinition } from './flag-definition.ts';

const own = { group: 'command', commands: ['mount'] } as const;
const MIB = 1024 ** 2;

/** Flags of `mount` about how a remote becomes a file system. */
export const VFS_FLAGS = {
  'vfs-cache-mode': {
    ...own,
    type: 'string',
    values: ['off', 'minimal', 'writes', 'full'],
    default: 'off',
    help: 'What is kept on disk: off, minimal, writes (files until they are uploaded), full (reads, too)',
  },
  'vfs-cache-max-age': {
    ...own,
    type: 'duration',
    default: 3_600_000,
    help: 'How long the cache keeps a file after its last use',
  },
  'vfs-cache-max-size': {
    ...own,
    type: 'size',
    defaultText: 'off',
    help: 'How much the cache keeps of files that are not in use',
  },
  'vfs-cache-poll-interval': {
    ...own,
    type: 'duration',
    default: 60_000,
    help: 'How often the cache is looked through for what may go',
  },
  'vfs-write-back': {
    ...own,
    type: 'duration',
    default: 5_000,
    help: 'How long after it was closed a file is uploaded',
  },
  'vfs-read-chunk-size': {
    ...own,
    type: 'size',
    default: 128 * MIB,
    help: 'Read files in ranges of this size, which double',
  },
  'vfs-read-chunk-size-limit': {
    ...own,
    type: 'size',
    defaultText: 'off',
    help: 'Up to which size ranges double',
  },
  'vfs-read-chunk-streams': {
    ...own,
    type: 'int',
    default: 0,
    help: 'How many ranges of a file are fetched at once ahead of a reader',
  },
  'vfs-read-ahead': {
    ...own,
    type: 'size',
    default: 0,
    help: 'How far the cache mode full reads ahead of what is asked for',
  },
  'mount-buffer-size': {
    ...own,
    name: 'buffer-size',
    type: 'size',
    default: 16 * MIB,
    help: 'Memory for what is read ahead of each reader of a file',
  },
  'vfs-read-wait': {
    ...own,
    type: 'duration',
    default: 20,
    help: 'How long a read out of order waits for those before it',
  },
  'vfs-write-wait': {
    ...own,
    type: 'duration',
    default: 1_000,
    help: 'How long a write out of order waits for those before it',
  },
  'vfs-case-insensitive': {
    ...own,
    type: 'bool',
    help: 'Look for a name in any case where it is not there as given',
  },
  'vfs-fast-fingerprint': {
    ...own,
    type: 'bool',
    help: 'Notice changes without slow hashes and slow modification times',
  },
  'vfs-disk-space-total-size': {
    ...own,
    type: 'size',
    defaultText: 'what the remote says',
    help: 'What df tells as total space',
  },
  'vfs-used-is-size': {
    ...own,
    type: 'bool',
    help: 'Count all files to tell the space used, rather than to ask the remote',
  },
  'dir-cache-time': {
    ...own,
    type: 'duration',
    default: 300_000,
    help: 'How long the listing of a directory counts',
  },
  'poll-interval': {
    ...own,
    type: 'duration',
    default: 60_000,
    help: 'How often the remote is asked for changes, where it can tell them; 0 for never',
  },
  'mount-no-modtime': {
    ...own,
    name: 'no-modtime',
    type: 'bool',
    help: 'Neither read nor write modification times',
  },
  'no-checksum': {
    ...own,
    type: 'bool',
    help: 'Do not compare hashes after uploads; what is read is not compared in any case',
  },
  'no-seek': { ...own, type: 'bool', help: 'Fail reads out of order rather than to seek' },
} as const satisfies Record<string, FlagDefinition>;
