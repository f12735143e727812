import { bool, commandFlags } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const COPYURL_FLAGS = commandFlags(['copyurl'], {
  'auto-filename': bool('Take the file name from the URL; dest:path is a directory', {
    short: 'a',
  }),
  'header-filename': bool(
    'With --auto-filename, take the name from the Content-Disposition header',
  ),
  urls: bool('Download all URLs of a CSV file (URL,NAME in each line) to a directory'),
  'print-filename': bool('Print the file name', { short: 'p' }),
  'no-clobber': bool('Do not overwrite an existing file'),
  stdout: bool('Write to standard output instead of a file'),
});

export const COPYURL_COMMANDS = commandsOf(() => import('./copyurl.ts'), COPYURL_FLAGS, {
  copyurl: usage('https://example.com dest:path', 'Download a URL to a file', {
    exclusions: [['urls', ['stdout', 'print-filename'], 'the list names the files']],
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
    examples: `
syncer copyurl https://example.com/a.iso shelf:images/a.iso -P  # Store a download
syncer copyurl https://example.com/a.iso shelf:images --auto-filename  # Keep its name`,
    see: ['copyto'],
  }),
});
