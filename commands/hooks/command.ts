import { bool, commandFlags, text } from '../../src/core/flags.ts';
import type { CommandUsage } from '../../src/shell/command-line/command.ts';
import { commandsOf, subcommand } from '../../src/shell/command-line/commands-of.ts';

const printing = ['hooks', 'hooks list', 'hooks history', 'hooks show', 'hooks rerun'];

export const HOOKS_FLAGS = {
  ...commandFlags([...printing, 'hooks follow'], {
    control: text('Control socket of the hook server (its -control)', {
      placeholder: 'path',
      defaultText: 'the path used by webhook -control auto',
    }),
  }),
  ...commandFlags(printing, { 'hooks-json': bool('Print JSON', { name: 'json' }) }),
  ...commandFlags(['hooks'], {
    'hooks-plain': bool('Print lines even on a terminal', { name: 'plain' }),
  }),
};

const SUBCOMMANDS: readonly CommandUsage[] = [
  subcommand('list', '', 'List hooks and the results of their last runs', {
    examples: `
syncer hooks list  # List hooks
syncer hooks list --json  # List them as JSON`,
    see: ['hooks history'],
  }),
  subcommand('history', '[hook]', 'List running and recent runs, newest first', {
    examples: `
syncer hooks history  # List all runs
syncer hooks history deploy  # List the runs of one hook`,
    see: ['hooks show'],
  }),
  {
    name: 'show',
    usage: 'run',
    summary: 'Show a run: its request, why it was refused, the last lines of its output',
    examples: `
syncer hooks show mwqcol15-0004  # Show a run
syncer hooks show mwqcol15-0004 --json  # Show it as JSON`,
    see: ['hooks history', 'hooks follow'],
  },
  subcommand('follow', 'run', "Follow a run's output; fail if the run fails", {
    examples: `
syncer hooks follow mwqcol15-0004  # Print its output until it ends
syncer hooks follow mwqcol15-0004 && echo deployed  # Do something if it succeeds`,
    see: ['hooks show'],
  }),
  subcommand('rerun', 'run', 'Run a hook again with the request of an earlier run, and follow it', {
    examples: `
syncer hooks rerun mwqcol15-0004  # Run it again
syncer hooks rerun mwqcol15-0004 --json  # Print the result as JSON`,
    see: ['hooks history'],
  }),
];

export const HOOKS_COMMANDS = commandsOf(() => import('./hooks.ts'), HOOKS_FLAGS, {
  hooks: {
    noun: true,
    usage: '',
    summary: 'Watch a hook server: its hooks, their runs and output, and why requests were refused',
    description: `
Connects to a local webhook started with -control, over a socket that only its user can access. On a terminal it opens
a screen; elsewhere, and with --plain, it lists the hooks. Running a refused request again checks its rules again;
other requests run unchecked.`,
    subcommands: SUBCOMMANDS,
    examples: `
syncer hooks  # Watch the hook server of this computer
syncer hooks history deploy  # List the runs of one hook`,
    see: ['hooks list', 'hooks history'],
  },
});
