import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

/** The command `uploads`. */
export const UPLOADS_COMMANDS: readonly CommandSummary[] = commandsOf(
  () => import('./uploads.ts'),
  {
    uploads: {
      noun: true,
      usage: 'ls|abort remote:path',
      args: [1, 2],
      transfersNothing: true,
      summary: 'List or abort unfinished uploads, which are stored and billed',
      description: `
Finds the unfinished multipart uploads of a file, or of all files below a directory, also those of other programs.
Interrupted runs leave them, and the next run resumes its own.`,
      subcommands: [
        {
          name: 'ls',
          usage: 'remote:path',
          summary: 'List unfinished uploads: stored bytes, parts, age, path',
        },
        {
          name: 'abort',
          usage: 'remote:path',
          summary: 'Abort unfinished uploads and delete their parts, also of running programs',
        },
      ],
    },
  },
);
