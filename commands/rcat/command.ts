import { commandFlags, int } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const RCAT_FLAGS = commandFlags(['rcat'], {
  'rcat-size': int('Size of the input in bytes, if known', {
    name: 'size',
    defaultText: 'unknown',
  }),
});

export const RCAT_COMMANDS = commandsOf(() => import('./rcat.ts'), RCAT_FLAGS, {
  rcat: usage('remote:path', 'Upload standard input to a file', {
    changes: true,
    listed: 'only',
    transfersNothing: false,
    description: `
Reads input of any length. Replaces an existing file only after the upload is complete.`,
    examples: `
tar cz ~/Documents | syncer rcat shelf:backup/home.tar.gz  # Upload an archive as it is made
date | syncer rcat shelf:backup/last-run.txt  # Write a short file`,
    see: ['cat', 'copyto'],
  }),
});
