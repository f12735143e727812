import { bool, commandFlags, text } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const NCDU_FLAGS = commandFlags(['ncdu'], {
  'ncdu-all': bool('Include old versions, delete markers and unfinished uploads (on S3)', {
    name: 'all',
  }),
  diff: text(
    'Show what has changed since the saved scan nearest to this age (30d) or date, or since the scan in a file',
    'age|file',
  ),
  html: text(
    'Write the scan to a file as one web page with a map and a table (- for standard output)',
    'file',
  ),
  'ncdu-output': text(
    "Write the scan to a file in ncdu's JSON format (- for standard output) instead of showing it",
    { name: 'output', short: 'o', placeholder: 'file' },
  ),
  import: text('Show a scan written by --output, ncdu or gdu (- for standard input)', {
    short: 'f',
    placeholder: 'file',
  }),
  'no-scan-cache': bool('Do not save the scan, and do not show a saved one'),
  'ncdu-read-only': bool('Disable delete and move', { name: 'read-only' }),
});

export const NCDU_COMMANDS = commandsOf(() => import('./ncdu.ts'), NCDU_FLAGS, {
  ncdu: usage('[remote:path] [remote:path]', 'Browse disk usage; delete, copy and move files', {
    exclusions: [
      ['ncdu-all', ['import', 'diff'], 'saved scans have no old versions'],
      [
        'ncdu-all',
        ['files-from', 'files-from-raw', 'files-from0', 'exclude-if-present', 'max-depth'],
        'old versions are listed as one list of the whole bucket',
      ],
      ['html', ['ncdu-output', 'diff'], 'the page is one whole scan'],
    ],
    changes: true,
    noun: true,
    description: `
The browser opens immediately and fills while the path is scanned; ? shows its keys. Two paths are shown side by side;
Tab goes from one to the other, and p and P copy and move across. It asks before deleting anything;
with --dry-run or --read-only it deletes nothing. With --output, writes the scan to a file in ncdu's JSON format instead,
which --import, ncdu and gdu can open. Scans are saved: the last one of a path is shown until it is scanned again, and
--diff shows what has changed since one; with --output, as lines of text.`,
    examples: `
syncer ncdu shelf:  # Browse a remote
syncer ncdu shelf: --diff 30d  # Show what has changed in a month`,
    see: ['size', 'tree'],
  }),
});
