import { bool, commandFlags } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const HISTORY_FLAGS = commandFlags(['history'], {
  'history-json': bool('Print JSON, one object per line', { name: 'json' }),
  'history-html': bool('Print the report of a run as a page, as --report FILE.html writes it', {
    name: 'html',
  }),
});

export const HISTORY_COMMANDS = commandsOf(() => import('./history.ts'), HISTORY_FLAGS, {
  history: usage(
    '[run-id|path]',
    'List earlier runs, the changes of one, or the runs that changed a path',
    {
      noun: true,
      description: `
Lists each run that transferred, checked or changed files, newest first: its ID, when it began, its result, until when it
can be undone, and its command line. A run is named by its ID or any unique end of it: syncer history 7k3f. A path
shows the runs that have changed it or something below it, and what they did: syncer history photos:2024/iceland.

The last 1,000 runs are listed. The changes of the last 200 are kept for 90 days, of at most 1 GiB. --no-history records nothing.`,
      examples: `
syncer history 7k3f  # List what the run with this ID changed
syncer history photos:2024  # List the runs that changed something there`,
      see: ['sync', 'home'],
    },
  ),
});
