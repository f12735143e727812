import type { CommandSummary } from '../src/shell/command-line/command.ts';
import { commandsOf, usage } from './commands-of.ts';

/** The commands for earlier runs. */
export const HISTORY_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./history/history.ts'), {
    history: usage(
      '[run-id|path]',
      'List earlier runs, the changes of one, or the runs that changed a path',
      {
        noun: true,
        description: `
Lists each run that transferred, checked or changed files, newest first: its ID, when it began, its result, until when it
can be undone, and its command line. A run is named by its ID or any unique end of it: syncer history 7k3f. A path
shows the runs that have changed it or something below it, and what they did: syncer history photos:2024/iceland.

The last 1,000 runs are listed. The changes of the last 200 are kept for 90 days, of at most 1 GiB. --no-history records nothing.`,
      },
    ),
  }),
  ...commandsOf(() => import('./undo/undo.ts'), {
    undo: usage('run-id [path…]', 'Undo a run, or its changes at some paths', {
      changes: true,
      args: [1, 10_000],
      description: `
Restores what the run deleted, replaced, moved or renamed, and deletes what it created: only where the file is still as
the run left it, by size, time and ETag. Anything else is left and listed, and the exit code is then 22; --force replaces
it. Look first with --dry-run or --review.

Old content comes from the trash of the run (--trash), from its --backup-dir, from the versions of an S3 bucket or a
Microsoft drive, or from the recycle bin of a personal drive. Without any of them, a deleted or replaced file is gone,
which is listed. syncer history shows it before.

Files that undo deletes or replaces are kept in the trash too (--trash=false keeps none): to redo, undo the undo.`,
    }),
  }),
  ...commandsOf(() => import('./trash/trash.ts'), {
    trash: {
      changes: true,
      noun: true,
      usage: 'ls|restore|empty remote:path [path…]',
      args: [1, 10_000],
      transfersNothing: true,
      summary: 'List, restore or delete what runs with --trash kept',
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
        },
        {
          name: 'restore',
          usage: 'remote:path [path…]',
          args: [1, 10_000],
          summary: 'Put files back where they were',
          description: `
Without paths, restores all that is in the trash; of each path, the file that was deleted last. A path with another file
is left and listed, and the exit code is then 22; --force replaces that file, and keeps it in the trash. The run can be
undone.`,
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
        },
      ],
    },
  }),
];
