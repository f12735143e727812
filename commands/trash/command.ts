import { bool, commandFlags, duration, text } from '../../src/core/flags.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

export const TRASH_FLAGS = {
  ...commandFlags(['trash ls', 'trash restore', 'trash empty'], {
    'trash-run': text(
      'Only files that this run deleted or replaced: its ID, or a unique end of it',
      { name: 'run', placeholder: 'id' },
    ),
    'trash-older-than': duration('Only files deleted or replaced longer ago than this', {
      name: 'older-than',
    }),
  }),
  ...commandFlags(['trash ls'], { 'trash-json': bool('Print JSON', { name: 'json' }) }),
};

export const TRASH_COMMANDS = commandsOf(() => import('./trash.ts'), TRASH_FLAGS, {
  trash: {
    changes: true,
    // What is deleted from the trash is not kept.
    journals: ['restore'],
    restores: true,
    noun: true,
    usage: 'ls|restore|empty remote:path [path…]',
    args: [1, 10_000],
    transfersNothing: true,
    summary: 'List, restore or delete files in the trash',
    description: `
Shows the .syncer-trash of a directory, or of each bucket of a remote. From the history of runs it also finds the trash
of directories below or above, a --trash-dir, and deleted files in the versions of a bucket or the recycle bin of a
personal drive. Paths are those that the files had, and filters select files by them.

Without the history of a run (of another machine, or too old), its files are listed as they are in the trash.`,
    subcommands: [
      {
        name: 'ls',
        usage: 'remote:path [path…]',
        args: [1, 10_000],
        summary: 'List what is in the trash: size, time and ID of the run, change, path',
        examples: `
syncer trash ls shelf:documents --run 7k3f  # List files that one run deleted or replaced
syncer trash ls shelf:documents --json  # List all as JSON`,
        see: ['history', 'size'],
      },
      {
        name: 'restore',
        usage: 'remote:path [path…]',
        args: [1, 10_000],
        summary: 'Put files back where they were',
        description: `
Without paths, restores all that is in the trash; of each path, the file that was deleted last. A path with another file
is left and listed; --force replaces that file, and keeps it in the trash. The run can be undone.`,
        exits: { 22: 'Files were left because another one has their path' },
        examples: `
syncer trash restore shelf:documents letters/a.txt  # Restore a file
syncer trash restore shelf:documents --run 7k3f --dry-run  # Show what would be restored of one run`,
        see: ['undo', 'trash ls'],
      },
      {
        name: 'empty',
        usage: 'remote:path [path…]',
        args: [1, 10_000],
        summary: 'Delete what is in the trash for good',
        description: `
This cannot be undone: on a terminal it asks you to type the number of files. Elsewhere it needs a path, --run,
--older-than, or --allow-deletes with about this number. In a bucket with versions it deletes the versions; on Microsoft
drives files go into the recycle bin of the drive, unless hard_delete is set. See first with --dry-run.`,
        examples: `
syncer trash empty shelf:documents --older-than 30d  # Delete files that were deleted more than 30 days ago
syncer trash empty shelf:documents --dry-run  # Show what would be deleted`,
        see: ['trash ls', 'versions prune'],
      },
    ],
    examples: `
syncer trash ls shelf:documents  # List deleted and replaced files that are kept
syncer trash restore shelf:documents letters  # Restore a directory`,
    see: ['undo', 'history', 'size'],
  },
});
