import { decidingFlags, groupFlags } from './flag-definition.ts';

const transferring = ['copy', 'sync', 'move'] as const;

/** Flags for what to copy, how to compare files, the destination, deletions, backups and renames. */
export const COPY_FLAGS = {
  ...groupFlags('main', {
    'dry-run': {
      short: 'n',
      type: 'bool',
      help: 'Show what would be done without changing anything',
    },
    interactive: { short: 'i', type: 'bool', help: 'Ask before every change' },
  }),
  ...groupFlags('copy', {
    checksum: {
      short: 'c',
      type: 'bool',
      help: 'Compare by size and checksum instead of size and time',
    },
    'size-only': { type: 'bool', help: 'Compare by size only' },
    'refresh-times': {
      type: 'bool',
      help: 'Update the modification time of files of equal size if no checksum can be compared',
    },
    'ignore-times': {
      short: 'I',
      type: 'bool',
      help: 'Copy all files, even those with equal size and time',
    },
    'ignore-size': { type: 'bool', help: 'Ignore sizes: compare by time or checksum' },
    'ignore-checksum': { type: 'bool', help: 'Skip the checksum comparison after each copy' },
    'multi-thread-cutoff': {
      type: 'size',
      default: 262_144_000,
      help: 'Download files of at least this size in several streams',
    },
    'multi-thread-streams': {
      type: 'int',
      default: 4,
      help: 'Number of streams for a multi-stream download (0 or 1 for one)',
    },
    'ignore-existing': { type: 'bool', help: 'Skip files that exist at the destination' },
    existing: { type: 'bool', help: 'Skip files that do not exist at the destination' },
    update: { short: 'u', type: 'bool', help: 'Skip files that are newer at the destination' },
    immutable: { type: 'bool', help: 'Fail if an existing file would be changed' },
    'modify-window': {
      type: 'duration',
      needsUnit: true,
      defaultText: '1ns',
      help: 'Treat times that differ by less than this as equal',
    },
    'no-traverse': {
      type: 'bool',
      help: 'Look up single files at the destination instead of listing it',
    },
    'no-check-dest': { type: 'bool', help: 'Copy without checking the destination' },
    'no-update-dir-modtime': {
      type: 'bool',
      help: 'Do not set the modification times of directories',
    },
    'no-update-modtime': {
      type: 'bool',
      help: 'Do not update the modification time of files that are otherwise equal',
    },
    'no-unicode-normalization': {
      type: 'bool',
      help: 'Treat names that differ only in Unicode form (NFC, NFD) as different',
    },
    'ignore-case-sync': { type: 'bool', help: 'Treat names that differ only in case as equal' },
    'fix-case': {
      type: 'bool',
      help: 'Rename files and directories at the destination whose names differ from the source only in case',
    },
    'compare-dest': {
      type: 'list',
      placeholder: 'remote:path',
      help: 'Skip files that also exist in this directory (may be given several times)',
    },
    'copy-dest': {
      type: 'list',
      placeholder: 'remote:path',
      help: 'Copy files that also exist in this directory server-side from there (may be given several times)',
    },
    'use-server-modtime': {
      type: 'bool',
      help: "Use the server's modification time, not the one in the metadata",
    },
    metadata: { short: 'M', type: 'bool', help: 'Copy metadata; with lsjson, print it' },
    'metadata-set': {
      type: 'list',
      placeholder: 'key=value',
      help: 'With --metadata, add or override this metadata on upload',
    },
    'metadata-mapper': {
      type: 'string',
      placeholder: 'command',
      help: 'With --metadata, run this program for each file and directory; it changes the metadata, as JSON',
      decides: false,
    },
    'name-transform': {
      type: 'list',
      placeholder: 'change',
      help: 'Change names on the way to the destination, e.g. lowercase, all,prefix=x (may be given several times)',
      // `command=` starts a program.
      decides: (change: string) => !/^[^=]*command/i.test(change),
    },
    'server-side-across-configs': {
      type: 'bool',
      help: 'Allow server-side copies between two remotes of the same type',
    },
    'max-transfer': { type: 'size', help: 'Stop after transferring this much' },
    'cutoff-mode': {
      type: 'string',
      values: ['hard', 'soft', 'cautious'],
      default: 'hard',
      help: 'How --max-transfer and --max-duration stop: hard aborts, soft starts nothing new, cautious never exceeds the limit',
    },
    'max-duration': { type: 'duration', needsUnit: true, help: 'Stop after this long' },
    'error-on-no-transfer': { type: 'bool', help: 'Exit with code 9 if nothing was transferred' },
    'order-by': {
      type: 'string',
      placeholder: 'order',
      help: "Order of the transfers: name, size or modtime, e.g. 'size,descending'",
    },
    'check-first': { type: 'bool', help: 'Finish all checks before the first transfer starts' },
  }),
  ...decidingFlags([...transferring, 'convmv', 'bisync'], {
    'create-empty-src-dirs': {
      type: 'bool',
      help: 'Create empty directories of the source at the destination',
    },
  }),
  ...decidingFlags(['move', 'convmv'], {
    'delete-empty-src-dirs': { type: 'bool', help: 'Delete source directories that became empty' },
  }),
  ...groupFlags('sync', {
    'backup-dir': {
      type: 'string',
      placeholder: 'remote:path',
      help: 'Move what would be deleted or overwritten to this directory',
    },
    suffix: {
      type: 'string',
      help: 'Append this to the names of files kept by --backup-dir or in place',
    },
    'suffix-keep-extension': { type: 'bool', help: 'Insert --suffix before the extension' },
    'delete-before': {
      type: 'bool',
      help: 'Delete extra files at the destination before transferring',
    },
    'delete-during': {
      type: 'bool',
      help: 'Delete extra files at the destination during transfers',
    },
    'delete-after': {
      type: 'bool',
      help: 'Delete extra files at the destination after all transfers (default)',
    },
    'delete-excluded': {
      type: 'bool',
      help: 'Also delete files at the destination that the filter excludes',
    },
    'max-delete': {
      type: 'int',
      orPercent: true,
      defaultText: 'no limit',
      help: 'Stop if more files than this would be deleted; with sync also 20% of the files at the destination',
    },
    'max-delete-size': {
      type: 'size',
      help: 'Stop if more than this would be deleted, of the sizes of all files together',
    },
    guard: {
      type: 'string',
      placeholder: 'list',
      defaultText: 'off',
      help: 'Delete nothing if these find something suspicious: on, off, or of empty, percent=N, count=N, same-device, marker[=NAME], swapped, suspect, home',
    },
    'allow-deletes': {
      type: 'int',
      help: 'Delete in spite of the guards empty, percent and count, if it is about this many files',
    },
    'allow-bucket-deletes': {
      type: 'string',
      placeholder: 'names',
      help: 'Empty or delete these buckets, with commas between them, or * for all, without asking',
    },
    'ignore-errors': { type: 'bool', help: 'Delete even if there were errors' },
    'track-renames': {
      type: 'bool',
      help: 'Detect renamed files and rename them at the destination',
    },
    'track-renames-strategy': {
      type: 'string',
      default: 'hash',
      placeholder: 'names',
      help: 'How to detect renames: a comma-separated list of hash, modtime, leaf; size is always compared',
    },
  }),
};
