import { bool, commandFlags, duration, int } from '../../src/core/flags.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

export const VERSIONS_FLAGS = {
  ...commandFlags(['versions prune'], {
    'versions-keep': int('Keep this number of old versions of each file, the newest', {
      name: 'keep',
    }),
    'versions-older-than': duration('Only versions replaced or deleted longer ago than this', {
      name: 'older-than',
    }),
  }),
  ...commandFlags(['versions restore'], {
    'versions-at': duration(
      'Restore all files as they were at this time: a date, or a duration ago',
      { name: 'at', placeholder: 'time' },
    ),
  }),
  ...commandFlags(['versions ls'], { 'versions-json': bool('Print JSON', { name: 'json' }) }),
};

export const VERSIONS_COMMANDS = commandsOf(() => import('./versions.ts'), VERSIONS_FLAGS, {
  versions: {
    noun: true,
    usage: 'ls|restore|prune remote:path',
    args: [1, 2],
    transfersNothing: true,
    summary: 'List, restore or delete old versions (billed by the provider)',
    description: `
For buckets with versioning, and for a file or all files below a directory. Filters select versions by their name, size
and age.`,
    subcommands: [
      {
        name: 'ls',
        usage: 'remote:path',
        summary: 'List all versions and delete markers: size, time, kind, ID, path',
        examples: `
syncer versions ls shelf:photos/a.jpg  # List the versions of one file
syncer versions ls shelf:photos --json  # List all versions as JSON`,
        see: ['size'],
      },
      {
        name: 'restore',
        usage: 'remote:path',
        summary: 'Copy old versions onto their files, with their metadata',
        description: `
Restores the newest old version of a file. With --at, restores all files below a directory as they were then; files that
did not exist then stay. Nothing is lost: what is replaced becomes an old version.`,
        examples: `
syncer versions restore shelf:photos/a.jpg  # Restore the version before the current one, or a deleted file
syncer versions restore shelf:photos --at 2026-11-01 --dry-run  # Show what would be restored as it was then`,
        see: ['versions ls'],
      },
      {
        name: 'prune',
        usage: 'remote:path',
        summary: 'Delete old versions for good, and delete markers that hide nothing',
        description: `
Needs --keep or --older-than; with both, deletes only what both allow. Current files stay. This cannot be undone: on a
terminal it asks you to type the number of versions; --allow-deletes answers that. See first with --dry-run.`,
        examples: `
syncer versions prune shelf:photos --keep 3  # Keep the current file and three old versions
syncer versions prune shelf:photos --older-than 30d --guard count=5000  # From cron: stop if it is more than that`,
        see: ['versions ls', 'size'],
      },
    ],
    examples: `
syncer versions ls shelf:photos  # List all versions of all files
syncer versions prune shelf:photos --keep 3 --older-than 30d --dry-run  # Show what would be deleted`,
    see: ['size', 'uploads'],
  },
});
