import { bool, commandFlags, text } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const TOUCH_FLAGS = commandFlags(['touch'], {
  timestamp: text('Time to set in UTC: YYMMDD or YYYY-MM-DDThh:mm:ss.sss', {
    short: 't',
    placeholder: 'time',
    defaultText: 'now',
  }),
  localtime: bool('Read --timestamp as local time, not UTC'),
  'no-create': bool('Do not create a missing file (implied by --recursive)', { short: 'C' }),
});

export const TOUCH_COMMANDS = commandsOf(() => import('./touch.ts'), TOUCH_FLAGS, {
  touch: usage('remote:path', 'Set the modification time of files, or create an empty file', {
    changes: true,
    transfersNothing: true,
    description: `
Sets the current time, or that of --timestamp. Creates an empty file if none exists, unless --no-create or --recursive
is given. On a directory, touches the files in it, and with --recursive those in subdirectories too.`,
    examples: `
syncer touch shelf:documents/stamp  # Set the time to now, or create an empty file
syncer touch -t 2026-01-31T12:00:00 ~/report.pdf  # Set this time (UTC)`,
  }),
});
