import type { CommandSummary, CommandUsage } from '../src/app/command.ts';

const SUBCOMMANDS: readonly CommandUsage[] = [
  {
    name: 'list',
    usage: '',
    args: [0, 0],
    summary: 'List hooks and the results of their last runs',
  },
  {
    name: 'history',
    usage: '[hook]',
    args: [0, 1],
    summary: 'List running and recent runs, newest first',
  },
  {
    name: 'show',
    usage: 'run',
    args: [1, 1],
    summary: 'Show a run: its request, why it was refused, the last lines of its output',
  },
  {
    name: 'follow',
    usage: 'run',
    args: [1, 1],
    summary: "Follow a run's output; fail if the run fails",
  },
  {
    name: 'rerun',
    usage: 'run',
    args: [1, 1],
    summary: 'Run a hook again with the request of an earlier run, and follow it',
  },
];

/** The command that shows and steers a hook server. */
export const HOOK_COMMANDS: readonly CommandSummary[] = [
  {
    name: 'hooks',
    usage: '',
    args: [0, 0],
    summary: 'Watch a hook server: its hooks, their runs and output, and why requests were refused',
    description: `
Connects to a local webhook started with -control, over a socket that only its user can access. On a terminal it opens
a screen; elsewhere, and with --plain, it lists the hooks. Running a refused request again checks its rules again;
other requests run unchecked.`,
    subcommands: SUBCOMMANDS,
    load: async () => (await import('./hooks.ts')).hooksCommand,
  },
];
