import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `version`. */
export const VERSION_COMMANDS: readonly CommandSummary[] = commandsOf(
  () => import('./version.ts'),
  {
    version: usage('', 'Print the version'),
  },
);
