import { bool, commandFlags } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** Flags of `directories` alone. */
export const DIRECTORIES_FLAGS = commandFlags(['rmdirs'], {
  'leave-root': bool('Keep the root directory even if it is empty'),
});

/** The commands for directories. */
export const DIRECTORIES_COMMANDS = commandsOf(
  () => import('./directories.ts'),
  DIRECTORIES_FLAGS,
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
