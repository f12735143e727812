import { bool, commandFlags } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const DIRECTORIES_FLAGS = commandFlags(['rmdirs'], {
  'leave-root': bool('Keep the root directory even if it is empty'),
});

export const DIRECTORIES_COMMANDS = commandsOf(
  () => import('./directories.ts'),
  DIRECTORIES_FLAGS,
  {
    mkdir: usage('remote:path', 'Create a directory or bucket if it does not exist', {
      changes: true,
      transfersNothing: true,
      examples: `
syncer mkdir shelf:photos  # Create a bucket or directory
syncer mkdir ~/backup/2026  # Create a local directory`,
      see: ['rmdir'],
    }),
    rmdir: usage('remote:path', 'Delete an empty directory or bucket', {
      changes: true,
      transfersNothing: true,
      examples: `
syncer rmdir shelf:photos  # Delete an empty bucket or directory
syncer rmdir shelf:photos --dry-run  # Show whether it would be deleted`,
      see: ['rmdirs', 'purge'],
    }),
    rmdirs: usage('remote:path', 'Delete empty directories in a path, at all levels', {
      changes: true,
      transfersNothing: true,
      examples: `
syncer rmdirs ~/Documents --dry-run  # Show which directories are empty
syncer rmdirs shelf:inbox --leave-root  # Keep the directory inbox itself`,
      see: ['rmdir'],
    }),
  },
);
