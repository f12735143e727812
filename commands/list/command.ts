import { bool, commandFlags, int, text } from '../../src/core/flags.ts';
import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';

export const LIST_FLAGS = {
  ...commandFlags(['tree'], { 'dirs-only': bool('List directories only', { short: 'd' }) }),
  ...commandFlags(['lsf'], {
    'time-format': text(
      'Format of times: a Go layout or its name (RFC3339, DateOnly), unix, unixnano or max',
      { short: 't', default: '', defaultText: '2006-01-02 15:04:05', placeholder: 'layout' },
    ),
  }),
  ...commandFlags(['tree'], {
    all: bool('List hidden files too (names that start with a dot)', { short: 'a' }),
    'tree-color': text('Colour the output', {
      name: 'color',
      short: 'C',
      values: ['auto', 'always', 'never', 'true', 'false'],
      default: 'auto',
      bareValue: 'always',
    }),
    dirsfirst: bool('List directories before files (-U disables)'),
    'full-path': bool('Print the full path of each file'),
    level: int('Limit the depth to this many levels', { default: 0, defaultText: 'all' }),
    modtime: bool('Print the modification time', { short: 'D' }),
    noindent: bool('Do not draw the lines of the tree'),
    noreport: bool('Do not print the final count of files and directories'),
    output: text('Write to a file instead of standard output', { short: 'o', placeholder: 'file' }),
    protections: bool('Print the permissions of each file', { short: 'p' }),
    quote: bool('Quote names with double quotes', { short: 'Q' }),
    'tree-size': bool('Print sizes in bytes', { name: 'size', short: 's' }),
    sort: text('Sort order', {
      default: 'name',
      values: ['name', 'version', 'size', 'mtime', 'ctime'],
    }),
    'sort-ctime': bool('Sort by status change time'),
    'sort-modtime': bool('Sort by modification time', { short: 't' }),
    'sort-reverse': bool('Reverse the order', { short: 'r' }),
    unsorted: bool('Do not sort', { short: 'U' }),
    'tree-version': bool('Sort numbers in names by value', { name: 'version' }),
  }),
  ...commandFlags(['size'], {
    'size-all': bool('Also count old versions, delete markers, unfinished uploads and trash', {
      name: 'all',
    }),
  }),
};

export const LIST_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./ls-and-size.ts'), LIST_FLAGS, {
    ls: usage('remote:path', 'List files with their sizes', {
      transfersNothing: true,
      examples: `
syncer ls shelf:documents  # List all files
syncer ls shelf: --include '*.iso' --min-size 1G  # List large disk images`,
      see: ['lsf', 'lsjson', 'tree', 'filters'],
    }),
    lsl: usage('remote:path', 'List files with sizes and modification times', {
      transfersNothing: true,
      usesTimes: () => true,
      examples: `
syncer lsl shelf:documents  # List all files with times
syncer lsl shelf:documents --max-age 7d  # List files changed in the last week`,
      see: ['lsf', 'lsjson', 'tree', 'filters'],
    }),
    lsd: usage('remote:path', 'List directories or buckets; with -R, those of all levels', {
      transfersNothing: true,
      examples: `
syncer lsd shelf:  # List buckets
syncer lsd shelf:documents -R  # List directories at all levels`,
      see: ['lsf', 'lsjson', 'tree', 'filters'],
    }),
  }),
  ...commandsOf(() => import('./lsf.ts'), LIST_FLAGS, {
    lsf: usage('remote:path', 'List files and directories in a form for scripts', {
      transfersNothing: true,
      usesTimes: ({ format }) => format.includes('t'),
      usesHashes: ({ format }) => format.includes('h'),
      description: `
--format chooses the columns: p path, s size, t modification time, h hash, i ID, o original ID, m MIME type,
T storage tier, M metadata. Directories end in a slash. Lists one level unless -R is given.

--time-format writes times in another way: as a Go layout ('2006-01-02', 'Jan _2 15:04:05.000'), by its name (RFC3339,
DateTime, DateOnly), as seconds (unix) or nanoseconds (unixnano) since 1970, or as precisely as the remote has
them (max).`,
      examples: `
syncer lsf shelf:documents  # List names, one per line
syncer lsf -R --format tsp --separator ';' shelf:documents  # List time, size and path`,
      see: ['lsjson', 'filters'],
    }),
  }),
  ...commandsOf(() => import('./lsjson.ts'), LIST_FLAGS, {
    lsjson: usage('remote:path', 'List files and directories as JSON, one object per line', {
      transfersNothing: true,
      usesTimes: (flags) => !flags['no-modtime'],
      usesHashes: (flags) => flags['lsjson-hash'],
      examples: `
syncer lsjson shelf:documents  # List one level as JSON
syncer lsjson -R --hash --files-only shelf:documents  # List all files with hashes`,
      see: ['lsf'],
    }),
  }),
  ...commandsOf(() => import('./ls-and-size.ts'), LIST_FLAGS, {
    size: usage('remote:path', 'Print the number and total size of files', {
      transfersNothing: true,
      examples: `
syncer size shelf:documents  # Print number and total size
syncer size shelf: --max-age 30d --json  # Print the size of recent files as JSON`,
      see: ['ncdu', 'about'],
    }),
  }),
  ...commandsOf(() => import('./tree.ts'), LIST_FLAGS, {
    tree: usage('remote:path', 'Print a directory tree', {
      transfersNothing: true,
      usesTimes: (flags: FlagsWith<typeof LIST_FLAGS>) =>
        flags.modtime || flags['sort-modtime'] || flags['sort-ctime'] || /time/.test(flags.sort),
      examples: `
syncer tree shelf:documents  # Print the tree
syncer tree shelf: --dirs-only --level 2  # Print two levels of directories`,
      see: ['ncdu', 'size'],
    }),
  }),
];
