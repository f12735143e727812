import type { CommandSummary, CommandUsage } from '../src/app/command.ts';

const SUBCOMMANDS: readonly CommandUsage[] = [
  { name: 'list', usage: '', args: [0, 0], summary: 'List the hooks and how their last runs went' },
  {
    name: 'history',
    usage: '[hook]',
    args: [0, 1],
    summary: 'List the runs that go on and the last ones, newest first',
  },
  {
    name: 'show',
    usage: 'run',
    args: [1, 1],
    summary: 'Show a run: its request, why it was refused, the end of its output',
  },
  {
    name: 'follow',
    usage: 'run',
    args: [1, 1],
    summary: 'Print what a run writes until it ends; fails where it does',
  },
  {
    name: 'rerun',
    usage: 'run',
    args: [1, 1],
    summary: 'Run a hook again with the request of a run, and follow it',
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
Talks to a webhook of this machine that was started with -control, over a socket that only its user may use. On a
terminal a screen opens; elsewhere, and with --plain, the hooks are listed. A request that was refused is judged
again when it is run again; one that was not is run as it is.`,
    subcommands: SUBCOMMANDS,
    load: async () => (await import('./hooks.ts')).hooksCommand,
  },
];
