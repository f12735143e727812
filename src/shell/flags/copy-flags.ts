import {
  bool,
  decidingFlags,
  duration,
  groupFlags,
  int,
  list,
  size,
  text,
} from '../../core/flags.ts';

const transferring = ['copy', 'sync', 'move'] as const;

/** Flags for what to copy, how to compare files, the destination, deletions, backups and renames. */
export const COPY_FLAGS = {
  ...groupFlags('main', {
    'dry-run': bool('Show what would be done without changing anything', { short: 'n' }),
    interactive: bool('Ask before every change', { short: 'i' }),
  }),
  ...groupFlags('copy', {
    checksum: bool('Compare by size and checksum instead of size and time', { short: 'c' }),
    'size-only': bool('Compare by size only'),
    'refresh-times': bool(
      'Update the modification time of files of equal size if no checksum can be compared',
    ),
    'ignore-size': bool('Ignore sizes: compare by time or checksum'),
    'ignore-checksum': bool('Skip the checksum comparison after each copy'),
    'multi-thread-cutoff': size('Download files of at least this size in several streams', {
      default: 262_144_000,
    }),
    'multi-thread-streams': int('Number of streams for a multi-stream download (0 or 1 for one)', {
      default: 4,
    }),
    'modify-window': duration('Treat times that differ by less than this as equal', {
      needsUnit: true,
      defaultText: '1ns',
    }),
    'no-traverse': bool('Look up single files at the destination instead of listing it'),
    'no-check-dest': bool('Copy without checking the destination'),
    'no-update-dir-modtime': bool('Do not set the modification times of directories'),
    'no-unicode-normalization': bool(
      'Treat names that differ only in Unicode form (NFC, NFD) as different',
    ),
    'ignore-case-sync': bool('Treat names that differ only in case as equal'),
    'use-server-modtime': bool("Use the server's modification time, not the one in the metadata"),
    metadata: bool('Copy metadata; with lsjson, print it', { short: 'M' }),
    'metadata-set': list('With --metadata, add or override this metadata on upload', 'key=value'),
    'metadata-mapper': text(
      'With --metadata, run this program for each file and directory; it changes the metadata, as JSON',
      { placeholder: 'command', decides: false },
    ),
    'server-side-across-configs': bool(
      'Allow server-side copies between two remotes of the same type',
    ),
    'max-transfer': size('Stop after transferring this much'),
    'cutoff-mode': text(
      'How --max-transfer and --max-duration stop: hard aborts, soft starts nothing new, cautious never exceeds the limit',
      { values: ['hard', 'soft', 'cautious'], default: 'hard' },
    ),
    'max-duration': duration('Stop after this long', { needsUnit: true }),
    'error-on-no-transfer': bool('Exit with code 9 if nothing was transferred'),
  }),
  ...decidingFlags([...transferring, 'convmv', 'bisync', 'why'], {
    'create-empty-src-dirs': bool('Create empty directories of the source at the destination'),
  }),
  ...decidingFlags(['move', 'convmv', 'why'], {
    'delete-empty-src-dirs': bool('Delete source directories that became empty'),
  }),
  ...groupFlags('sync', {
    'delete-before': bool('Delete extra files at the destination before transferring'),
    'delete-during': bool('Delete extra files at the destination during transfers'),
    'delete-after': bool('Delete extra files at the destination after all transfers (default)'),
    'delete-excluded': bool('Also delete files at the destination that the filter excludes'),
    'max-delete': int(
      'Stop if more files than this would be deleted; with sync also 20% of the files at the destination',
      { orPercent: true, defaultText: 'no limit' },
    ),
    'max-delete-size': size('Stop if files of more than this total size would be deleted'),
    guard: text(
      'Delete nothing if these find something suspicious: on, off, or of empty, percent=N, count=N, same-device, marker[=NAME], swapped, suspect, home',
      { placeholder: 'list', defaultText: 'off' },
    ),
    'allow-deletes': int(
      'Override the guards empty, percent and count for about this many deletions',
    ),
    'allow-bucket-deletes': text(
      'Empty or delete these buckets, with commas between them, or * for all, without asking',
      'names',
    ),
    'ignore-errors': bool('Delete even if there were errors'),
  }),
};

/** Flags for local disks. */
export const LOCAL_FLAGS = groupFlags('local', {
  'copy-links': bool('Follow symbolic links', { short: 'L' }),
  links: bool(
    "Copy symbolic links as files with the suffix '.rclonelink' that contain the target",
    { short: 'l' },
  ),
  'skip-links': bool('Do not report skipped symbolic links'),
  'skip-specials': bool('Do not report skipped pipes, sockets and devices'),
  'one-file-system': bool('Do not cross file system boundaries', { short: 'x' }),
});
