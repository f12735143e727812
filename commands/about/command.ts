import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `about`. */
export const ABOUT_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./about.ts'), {
  about: usage('remote:', 'Print the total and used space of a remote', {
    transfersNothing: true,
  }),
});
