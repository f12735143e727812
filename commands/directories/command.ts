import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The commands for directories. */
export const DIRECTORIES_COMMANDS: readonly CommandSummary[] = commandsOf(
  () => import('./directories.ts'),
  {
    mkdir: usage('remote:path', 'Create a directory or bucket if it does not exist', {
      changes: true,
      transfersNothing: true,
    }),
    rmdir: usage('remote:path', 'Delete an empty directory or bucket', {
      changes: true,
      transfersNothing: true,
    }),
    rmdirs: usage('remote:path', 'Delete empty directories in a path, at all levels', {
      changes: true,
      transfersNothing: true,
    }),
  },
);
