import { bool, decidingFlags, duration, text } from '../../core/flags.ts';

const conflictRules = [
  ...(['none', 'newer', 'older', 'larger', 'smaller', 'path1', 'path2'] as const),
] as const;

/** Flags of `bisync`, under rclone's names. */
export const BISYNC_FLAGS = {
  // A plan must not hold these.
  ...decidingFlags(['bisync', 'apply'], {
    'bisync-force': bool('Go on in spite of --max-delete, and if all files changed', {
      name: 'force',
    }),
    'filters-file': text('Read filter rules from this file, as --filter-from', {
      placeholder: 'file',
    }),
    workdir: text('Directory for what both sides had after the last run', {
      placeholder: 'directory',
      defaultText: 'the state directory',
    }),
    'max-lock': duration(
      'Ignore the lock of another machine without a sign of life for this long (at least 2m)',
      { defaultText: 'never' },
    ),
  }),
  ...decidingFlags(['bisync'], {
    resync: bool(
      'Forget earlier runs: make both sides the union of both, without deletions; path1 wins',
    ),
    'resync-mode': text('As --resync; this decides which of two different files keeps the name', {
      values: conflictRules,
    }),
    'conflict-resolve': text(
      'Which file keeps the name if both sides changed it; none renames both',
      { values: conflictRules, default: 'newer' },
    ),
    'conflict-loser': text(
      'How the other file is renamed, on both sides; delete keeps no copy of it',
      { values: ['date', 'num', 'pathname', 'delete'], default: 'date' },
    ),
    'conflict-suffix': text('Suffix of renamed files, or one for each side', {
      default: 'conflict',
      placeholder: 'suffix[,suffix]',
    }),
    compare: text('What makes a file changed: a comma-separated list of size, modtime, checksum', {
      default: 'size,modtime',
      placeholder: 'list',
    }),
    'check-access': bool(
      'Change nothing unless both sides have the same files named --check-filename',
    ),
    'check-filename': text('Name of the files that --check-access looks for', {
      default: 'RCLONE_TEST',
      placeholder: 'name',
    }),
    'check-sync': text(
      'only: compare both sides with the last run and change nothing; every run verifies what it did',
      { values: ['true', 'false', 'only'], default: 'true' },
    ),
    'remove-empty-dirs': bool('Remove all empty directories on both sides at the end'),
    'backup-dir1': text('Move what path1 would lose to this directory', {
      placeholder: 'remote:path',
    }),
    'backup-dir2': text('Move what path2 would lose to this directory', {
      placeholder: 'remote:path',
    }),
  }),
};
