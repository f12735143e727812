import { bool, commandFlags } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const ABOUT_FLAGS = commandFlags(['about'], {
  full: bool('Print sizes in bytes without suffixes'),
});

export const ABOUT_COMMANDS = commandsOf(() => import('./about.ts'), ABOUT_FLAGS, {
  about: usage('remote:', 'Print the total and used space of a remote', {
    transfersNothing: true,
    examples: `
syncer about work-drive:  # Print quota and used space
syncer about work-drive: --json  # Print bytes as JSON`,
    see: ['size'],
  }),
});
