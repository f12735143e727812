import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `home`. */
export const HOME_COMMANDS = commandsOf(
  () => import('./home.ts'),
  {},
  {
    home: usage('', 'Open the home screen: remotes, their actions and recent runs', {
      noun: true,
      description: `
On a terminal, syncer without a command opens it too. Every action shows the equivalent command line.`,
    }),
  },
);
