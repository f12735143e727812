import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const DEMO_COMMANDS = commandsOf(() => import('./demo.ts'), {
  demo: usage('', 'Try syncer on temporary files and a temporary server', {
    noun: true,
    description: `
Makes a directory with some files and an S3 server on this machine, and goes through the first steps: browse, plan a
sync, make it, compare. Each command is shown and runs when you press Enter. At the end everything is deleted. Your own
files and configuration are neither read nor changed.`,
    examples: `
syncer demo  # Go through the first steps
SYNCER_PLAIN=1 syncer demo  # The same as lines of text, for screen readers`,
    see: ['home', 'ncdu'],
  }),
});
