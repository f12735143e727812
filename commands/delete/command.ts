import { bool, commandFlags, decidingFlags, duration } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const DELETE_FLAGS = {
  ...decidingFlags(['delete'], {
    rmdirs: bool('Delete directories that became empty, except the root'),
  }),
  ...commandFlags(['cleanup'], {
    'older-than': duration(
      'Keep leftovers younger than this unless their run has certainly ended',
      { default: 86_400_000 },
    ),
  }),
};

export const DELETE_COMMANDS = commandsOf(() => import('./delete.ts'), DELETE_FLAGS, {
  delete: usage('remote:path', 'Delete files that match the filter flags; keep directories', {
    often: ['dry-run', 'include', 'exclude', 'min-age', 'rmdirs', 'review', 'trash'],
    changes: true,
    transfersNothing: true,
    listed: 'steered',
    examples: `
syncer delete shelf:logs --include '*.log' --dry-run  # Show what would be deleted
syncer delete shelf:logs --min-age 90d  # Delete files older than 90 days`,
    see: ['purge', 'deletefile', 'filters'],
  }),
  deletefile: usage('remote:path', 'Delete one file', {
    changes: true,
    transfersNothing: true,
    examples: `
syncer deletefile shelf:documents/old.txt  # Delete a file
syncer deletefile shelf:documents/old.txt -i  # Ask first`,
    see: ['delete'],
  }),
  purge: usage('remote:path', 'Delete a directory or bucket with all its contents', {
    changes: true,
    transfersNothing: true,
    listed: 'only',
    description: `
Refuses filter flags; use delete for them. With --max-delete, counts the files first and deletes nothing if there are
more. Deletes the files of file systems that are mounted in the directory, too; with --one-file-system leaves those alone
and exits with 1.`,
    examples: `
syncer purge shelf:old --dry-run  # Show what would be deleted
syncer purge shelf:old --max-delete 100  # Delete nothing if there are more than 100 files`,
    see: ['delete', 'rmdir'],
  }),
  cleanup: usage('remote:path', 'Delete leftovers of interrupted runs', {
    description: `
On S3: aborts multipart uploads older than --older-than that were never completed. On local disks: deletes temporary
files whose process has ended, and temporary files of other machines that have not changed for that long. On cloud
drives: deletes the old versions of all files, whatever their age, and unfinished copies; a file that was renamed for
a replacement gets its old name, or is deleted if the name is taken.`,
    examples: `
syncer cleanup shelf:documents  # Delete leftovers older than a day
syncer cleanup shelf: --older-than 2h --dry-run  # Show what would be cleaned up`,
  }),
});
