import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `cat`. */
export const CAT_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./cat.ts'), {
  cat: usage('remote:path', 'Print the contents of files', {
    transfersNothing: false,
    description: `
On a directory, prints all its files in turn. --head, --tail, or --offset with --count print a part of each file.`,
  }),
});
