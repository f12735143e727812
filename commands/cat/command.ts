import { bool, commandFlags, int, text } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const CAT_FLAGS = commandFlags(['cat'], {
  head: int('Print only the first N bytes'),
  tail: int('Print only the last N bytes'),
  offset: int('Start at byte N; a negative N counts from the end'),
  count: int('Print only N bytes'),
  discard: bool('Read the files without printing them'),
  'cat-separator': text('Separator to print after each file', { name: 'separator' }),
});

export const CAT_COMMANDS = commandsOf(() => import('./cat.ts'), CAT_FLAGS, {
  cat: usage('remote:path', 'Print the contents of files', {
    transfersNothing: false,
    description: `
On a directory, prints all its files in turn. --head, --tail, or --offset with --count print a part of each file.`,
    examples: `
syncer cat shelf:documents/notes.txt  # Print a file
syncer cat shelf:logs/today.log --tail 1000  # Print the last 1000 bytes`,
    see: ['rcat'],
  }),
});
