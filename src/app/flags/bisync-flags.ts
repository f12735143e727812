import { decidingFlags } from './flag-definition.ts';

const conflictRules = [
  ...(['none', 'newer', 'older', 'larger', 'smaller', 'path1', 'path2'] as const),
] as const;

/** Flags of `bisync`, under rclone's names. */
export const BISYNC_FLAGS = {
  // A plan must not hold these.
  ...decidingFlags(['bisync', 'apply'], {
    'bisync-force': {
      name: 'force',
      type: 'bool',
      help: 'Go on in spite of --max-delete, and if all files changed',
    },
    'filters-file': {
      type: 'string',
      placeholder: 'file',
      help: 'Read filter rules from this file, as --filter-from',
    },
    workdir: {
      type: 'string',
      placeholder: 'directory',
      defaultText: 'the state directory',
      help: 'Directory for what both sides had after the last run',
    },
  }),
  ...decidingFlags(['bisync'], {
    resync: {
      type: 'bool',
      help: 'Forget earlier runs: make both sides the union of both, without deletions; path1 wins',
    },
    'resync-mode': {
      type: 'string',
      values: conflictRules,
      help: 'As --resync; this decides which of two different files keeps the name',
    },
    'conflict-resolve': {
      type: 'string',
      values: conflictRules,
      default: 'newer',
      help: 'Which file keeps the name if both sides changed it; none renames both',
    },
    'conflict-loser': {
      type: 'string',
      values: ['date', 'num', 'pathname', 'delete'],
      default: 'date',
      help: 'How the other file is renamed, on both sides; delete keeps no copy of it',
    },
    'conflict-suffix': {
      type: 'string',
      default: 'conflict',
      placeholder: 'suffix[,suffix]',
      help: 'Suffix of renamed files, or one for each side',
    },
    compare: {
      type: 'string',
      default: 'size,modtime',
      placeholder: 'list',
      help: 'What makes a file changed: a comma-separated list of size, modtime, checksum',
    },
    'check-access': {
      type: 'bool',
      help: 'Change nothing unless both sides have the same files named --check-filename',
    },
    'check-filename': {
      type: 'string',
      default: 'RCLONE_TEST',
      placeholder: 'name',
      help: 'Name of the files that --check-access looks for',
    },
    'check-sync': {
      type: 'string',
      values: ['true', 'false', 'only'],
      default: 'true',
      help: 'only: compare both sides with the last run and change nothing; every run verifies what it did',
    },
    'remove-empty-dirs': {
      type: 'bool',
      help: 'Remove all empty directories on both sides at the end',
    },
    'backup-dir1': {
      type: 'string',
      placeholder: 'remote:path',
      help: 'Move what path1 would lose to this directory',
    },
    'backup-dir2': {
      type: 'string',
      placeholder: 'remote:path',
      help: 'Move what path2 would lose to this directory',
    },
  }),
};
