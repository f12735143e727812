import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `settier`. */
export const SETTIER_COMMANDS = commandsOf(
  () => import('./settier.ts'),
  {},
  {
    settier: usage('tier remote:path', 'Move files to another storage class', {
      transfersNothing: true,
      description: `
The tier is the provider's own name, such as STANDARD_IA or GLACIER. Filters select files in a directory.`,
    }),
  },
);
