import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `copyurl`. */
export const COPYURL_COMMANDS: readonly CommandSummary[] = commandsOf(
  () => import('./copyurl.ts'),
  {
    copyurl: usage('https://example.com dest:path', 'Download a URL to a file', {
      changes: true,
      args: [1, 2],
      showsStats: true,
      listed: 'only',
      description: `
Writes the file dest:path. With --auto-filename dest:path is a directory, and the file name is taken from the URL after
all redirects. With --stdout, or - as dest:path, writes to standard output. The file appears when it is complete.

With --urls the first argument is a CSV file (- for standard input) with a URL in each line, and after a comma the path
of the file in the directory dest:path. Without a path the name is taken from the URL. --transfers are downloaded at the
same time; if some fail, the others are complete.`,
    }),
  },
);
