import type { CommandSummary } from '../src/app/command.ts';
import { commandsOf } from './commands-of.ts';

/** The commands for earlier runs. */
export const HISTORY_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./history.ts'), {
    history: {
      noun: true,
      usage: '[run-id]',
      args: [0, 1],
      summary: 'List earlier runs, or the changes of one, path by path',
      description: `
Lists each run that transferred, checked or changed files, newest first: its ID, when it began, its result, until when it
can be undone, and its command line. A run is named by its ID or any unique end of it: syncer history 7k3f.

The changes of a run are kept for 90 days, of at most 200 runs and 1 GiB. --no-history records nothing.`,
    },
  }),
];
