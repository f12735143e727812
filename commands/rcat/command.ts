import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `rcat`. */
export const RCAT_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./rcat.ts'), {
  rcat: usage('remote:path', 'Upload standard input to a file', {
    changes: true,
    listed: 'only',
    transfersNothing: false,
    description: `
Reads input of any length. Replaces an existing file only after the upload is complete.`,
  }),
});
