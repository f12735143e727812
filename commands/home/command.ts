import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const HOME_COMMANDS = commandsOf(() => import('./home.ts'), {
  home: usage('', 'Open the home screen: remotes, their actions and recent runs', {
    noun: true,
    description: `
On a terminal, syncer without a command opens it too. Every action shows the equivalent command line.`,
    examples: `
syncer  # Open it
SYNCER_PLAIN=1 syncer home  # Open it as lines of text, for screen readers`,
    see: ['config', 'ncdu'],
  }),
});
