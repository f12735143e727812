import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const UNDO_COMMANDS = commandsOf(() => import('./undo.ts'), {
  undo: usage('run-id [path…]', 'Undo a run, or its changes at some paths', {
    changes: true,
    restores: true,
    args: [1, 10_000],
    description: `
Restores what the run deleted, replaced, moved or renamed, and deletes what it created: only where the file is still as
the run left it, by size, time and ETag. Anything else is left and listed; --force replaces it. Look first with --dry-run or --review. With a path instead of a run, names the last runs that changed it.

Old content comes from the trash of the run (--trash), from its --backup-dir, from the versions of an S3 bucket or a
Microsoft drive, or from the recycle bin of a personal drive. Without any of them, a deleted or replaced file is gone,
which is listed. syncer history shows it before.

Files that undo deletes or replaces are kept in the trash too (--trash=false keeps none): to redo, undo the undo.`,
    exits: { 22: 'Files were left because they changed after the run' },
    examples: `
syncer undo 7k3f --review  # Show what would be restored, and choose
syncer undo 7k3f documents/a.txt  # Undo the changes of one file`,
    see: ['history', 'sync'],
  }),
});
