import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `touch`. */
export const TOUCH_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./touch.ts'), {
  touch: usage('remote:path', 'Set the modification time of files, or create an empty file', {
    changes: true,
    transfersNothing: true,
    description: `
Sets the current time, or that of --timestamp. Creates an empty file if none exists, unless --no-create or --recursive
is given. On a directory, touches the files in it, and with --recursive those in subdirectories too.`,
  }),
});
