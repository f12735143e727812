import { bool, decidingFlags, text } from '../../src/core/flags.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';

const conflictRules = ['none', 'newer', 'older', 'larger', 'smaller', 'path1', 'path2'] as const;

export const BISYNC_FLAGS = decidingFlags(['bisync'], {
  resync: bool(
    'Start over: copy missing files in both directions, delete nothing; path1 wins conflicts',
  ),
  'resync-mode': text(
    'Like --resync, with this rule for which of two different files keeps the name',
    { values: conflictRules },
  ),
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
  'backup-dir1': text('Move what path1 would lose to this directory', 'remote:path'),
  'backup-dir2': text('Move what path2 would lose to this directory', 'remote:path'),
});

export const BISYNC_COMMANDS = commandsOf(() => import('./bisync.ts'), BISYNC_FLAGS, {
  bisync: {
    exclusions: [
      ['watch', ['dry-run', 'resync', 'resync-mode'], 'each run builds on the one before'],
    ],
    usage: 'path1 path2',
    often: [
      'dry-run',
      'progress',
      'include',
      'exclude',
      'review',
      'trash',
      'conflict-resolve',
      'resync',
      'watch',
    ],
    showsStats: true,
    usesTimes: ({ compare }: FlagsWith<typeof BISYNC_FLAGS>) => compare.includes('modtime'),
    changes: true,
    listed: 'steered',
    summary: 'Sync two directories in both directions',
    description: `
Compares both sides with what they had after the last run: what is new or changed on one side is copied to the other,
what was deleted on one side is deleted on the other. The first run deletes nothing: each side gets what only the other
has. A file that was changed on one side and deleted on the other is kept. If both sides changed a file, the newer one
keeps the name, and the other one is renamed to NAME.conflict-DATE-path1 or -path2, on both sides. Files that fail are
tried again by the next run and do not delay others.`,
    examples: `
syncer bisync ~/Documents shelf:documents  # Make both equal; the first run deletes nothing
syncer bisync ~/notes shelf:notes --conflict-resolve path1  # If both sides changed a file, keep the local one`,
    see: ['sync', 'check', 'filters'],
  },
});
