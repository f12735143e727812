import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const VERSION_COMMANDS = commandsOf(() => import('./version.ts'), {
  version: usage('', 'Print the version', {
    examples: `
syncer version  # Print the version
syncer --version  # The same`,
    see: ['doctor'],
  }),
});
