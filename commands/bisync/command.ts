import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

/** The command `bisync`. */
export const BISYNC_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./bisync.ts'), {
  bisync: {
    usage: 'path1 path2',
    showsStats: true,
    changes: true,
    listed: 'steered',
    summary: 'Make two directories equal, with the changes of both since the last run',
    description: `
Compares both sides with what they had after the last run: what is new or changed on one side is copied to the other,
what was deleted on one side is deleted on the other. The first run deletes nothing: each side gets what only the other
has. A file that was changed on one side and deleted on the other is kept. If both sides changed a file, the newer one
keeps the name, and the other one is renamed to NAME.conflict-DATE-path1 or -path2, on both sides. Files that fail are
tried again by the next run and do not delay others.`,
  },
});
