import type { CommandSummary } from '../src/app/command.ts';
import { commandsOf } from './commands-of.ts';

/** The commands for earlier runs. */
export const HISTORY_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./history.ts'), {
    history: {
      noun: true,
      usage: '[run-id]',
      args: [0, 1],
      summary: 'List earlier runs, or the changes of one, path by path',
      description: `
Lists each run that transferred, checked or changed files, newest first: its ID, when it began, its result, until when it
can be undone, and its command line. A run is named by its ID or any unique end of it: syncer history 7k3f.

The changes of a run are kept for 90 days, of at most 200 runs and 1 GiB. --no-history records nothing.`,
    },
  }),
  ...commandsOf(() => import('./undo.ts'), {
    undo: {
      changes: true,
      usage: 'run-id [path…]',
      args: [1, 10_000],
      summary: 'Undo a run, or its changes at some paths',
      description: `
Restores what the run deleted, replaced, moved or renamed, and deletes what it created: only where the file is still as
the run left it, by size, time and ETag. Anything else is left and listed, and the exit code is then 22; --force replaces
it. Look first with --dry-run or --review.

Old content comes from the trash of the run (--trash), from its --backup-dir, or from the versions of an S3 bucket.
Without any of them, a deleted or replaced file is gone, which is listed. syncer history shows it before.

Files that undo deletes or replaces are kept in the trash too (--trash=false keeps none): to redo, undo the undo.`,
    },
  }),
];
