import { DURATION_OFF, parseDuration } from '../../go/duration.ts';
import { commandFlags, groupFlags } from './flag-definition.ts';

/** `--dest-after` lists as `lsf` does. */
const transferring = ['copy', 'sync', 'move', 'copyto', 'moveto'] as const;

/** What is wrong with a value of `--default-time`. */
function wrongTime(text: string): string | undefined {
  try {
    if (parseDuration(text, 0) !== DURATION_OFF) return undefined;
  } catch {
    // Reported below.
  }
  return `"${text}" is neither a date, as 2000-01-31, nor a duration ago (0s for now)`;
}

/** Flags of the listing commands, `tree` and `ncdu`; the letters of these two are those of the original programs. */
export const LISTING_FLAGS = {
  ...groupFlags('listing', {
    'human-readable': { type: 'bool', help: 'Print sizes with suffixes: 1.5Ki, 20Mi' },
    'default-time': {
      type: 'string',
      default: '2000-01-01T00:00:00Z',
      placeholder: 'time',
      check: wrongTime,
      help: 'Time to show if the modification time is unknown: a date, or a duration ago (0s for now)',
    },
  }),
  ...commandFlags(['lsd', 'lsf', 'lsjson', 'touch'], {
    recursive: { short: 'R', type: 'bool', help: 'Include all levels of subdirectories' },
  }),
  ...commandFlags(['tree'], {
    'dirs-only': { short: 'd', type: 'bool', help: 'List directories only' },
  }),
  ...commandFlags(['lsf', 'lsjson', ...transferring], {
    'ls-dirs-only': { name: 'dirs-only', type: 'bool', help: 'List directories only' },
  }),
  ...commandFlags(['lsf', 'lsjson'], {
    'files-only': { type: 'bool', help: 'List files only' },
  }),
  ...commandFlags(['lsjson'], {
    'lsjson-hash': { name: 'hash', type: 'bool', help: 'Include hashes (may be slow)' },
    'hash-type': {
      type: 'list',
      oneInVariable: true,
      placeholder: 'name',
      help: 'Include only this hash (may be given several times)',
    },
    'no-modtime': {
      type: 'bool',
      help: 'Do not read modification times (faster on some backends)',
    },
    'no-mimetype': { type: 'bool', help: 'Do not read MIME types (faster on some backends)' },
    stat: { type: 'bool', help: 'Print only the file or directory that is named' },
    encrypted: { type: 'bool', help: 'Include encrypted names (crypt remotes only)' },
    original: { type: 'bool', help: 'Include the ID of the underlying file' },
  }),
  ...commandFlags(['size', 'about', 'backend', 'config userinfo', 'doctor', 'why'], {
    json: { type: 'bool', help: 'Print JSON' },
  }),
  ...commandFlags(['listremotes'], {
    long: { type: 'bool', help: 'Print the type and description of each remote too' },
    'remotes-json': { name: 'json', type: 'bool', help: 'Print JSON' },
    'remotes-name': {
      name: 'name',
      type: 'string',
      default: '',
      placeholder: 'pattern',
      help: 'List only remotes with a matching name',
    },
    'remotes-type': {
      name: 'type',
      type: 'string',
      default: '',
      placeholder: 'pattern',
      help: 'List only remotes of a matching type',
    },
    'remotes-source': {
      name: 'source',
      type: 'string',
      default: '',
      placeholder: 'pattern',
      help: 'List only remotes from a matching source: file or environment',
    },
    'remotes-description': {
      name: 'description',
      type: 'string',
      default: '',
      placeholder: 'pattern',
      help: 'List only remotes with a matching description',
    },
    'exact-remotes': {
      name: 'exact',
      type: 'bool',
      help: 'Patterns match whole values, not parts of them',
    },
    'order-remotes-by': {
      name: 'order-by',
      type: 'string',
      default: '',
      placeholder: 'fields',
      help: "Sort order, e.g. 'type,name=descending'",
    },
  }),
  ...commandFlags(['lsf'], {
    'time-format': {
      short: 't',
      type: 'string',
      default: '',
      defaultText: '2006-01-02 15:04:05',
      placeholder: 'layout',
      help: 'Format of times: a Go layout or its name (RFC3339, DateOnly), unix, unixnano or max',
    },
  }),
  ...commandFlags(['lsf', ...transferring], {
    format: {
      short: 'F',
      type: 'string',
      default: 'p',
      help: 'What to print: letters from p s t h i o m e T M',
    },
    separator: {
      short: 's',
      type: 'string',
      defaultText: '; or with --csv ,',
      help: 'Separator between columns',
    },
    'dir-slash': {
      short: 'd',
      type: 'bool',
      default: true,
      help: 'Append a slash to directory names',
    },
    absolute: { type: 'bool', help: 'Prepend a slash to paths' },
    csv: { type: 'bool', help: 'Print CSV' },
    'lsf-hash': {
      name: 'hash',
      type: 'string',
      default: 'md5',
      placeholder: 'name',
      help: 'Hash for the format letter h',
    },
  }),
  ...commandFlags(['tree'], {
    all: { short: 'a', type: 'bool', help: 'List hidden files too (names that start with a dot)' },
    'tree-color': {
      name: 'color',
      short: 'C',
      type: 'string',
      values: ['auto', 'always', 'never', 'true', 'false'],
      default: 'auto',
      bareValue: 'always',
      help: 'Colour the output',
    },
    dirsfirst: { type: 'bool', help: 'List directories before files (-U disables)' },
    'full-path': { type: 'bool', help: 'Print the full path of each file' },
    level: {
      type: 'int',
      default: 0,
      defaultText: 'all',
      help: 'Limit the depth to this many levels',
    },
    modtime: { short: 'D', type: 'bool', help: 'Print the modification time' },
    noindent: { type: 'bool', help: 'Do not draw the lines of the tree' },
    noreport: { type: 'bool', help: 'Do not print the final count of files and directories' },
    output: {
      short: 'o',
      type: 'string',
      placeholder: 'file',
      help: 'Write to a file instead of standard output',
    },
    protections: { short: 'p', type: 'bool', help: 'Print the permissions of each file' },
    quote: { short: 'Q', type: 'bool', help: 'Quote names with double quotes' },
    'tree-size': { name: 'size', short: 's', type: 'bool', help: 'Print sizes in bytes' },
    sort: {
      type: 'string',
      default: 'name',
      values: ['name', 'version', 'size', 'mtime', 'ctime'],
      help: 'Sort order',
    },
    'sort-ctime': { type: 'bool', help: 'Sort by status change time' },
    'sort-modtime': { short: 't', type: 'bool', help: 'Sort by modification time' },
    'sort-reverse': { short: 'r', type: 'bool', help: 'Reverse the order' },
    unsorted: { short: 'U', type: 'bool', help: 'Do not sort' },
    'tree-version': { name: 'version', type: 'bool', help: 'Sort numbers in names by value' },
  }),
  ...commandFlags(['size'], {
    'size-all': {
      name: 'all',
      type: 'bool',
      help: 'Also count old versions, delete markers, unfinished uploads and trash',
    },
  }),
  ...commandFlags(['ncdu'], {
    'ncdu-all': {
      name: 'all',
      type: 'bool',
      help: 'Include old versions, delete markers and unfinished uploads (on S3)',
    },
    diff: {
      type: 'string',
      placeholder: 'age|file',
      help: 'Show what has changed since the saved scan nearest to this age (30d) or date, or since the scan in a file',
    },
    html: {
      type: 'string',
      placeholder: 'file',
      help: 'Write the scan to a file as one web page with a map and a table (- for standard output)',
    },
    'ncdu-output': {
      name: 'output',
      short: 'o',
      type: 'string',
      placeholder: 'file',
      help: "Write the scan to a file in ncdu's JSON format (- for standard output) instead of showing it",
    },
    import: {
      short: 'f',
      type: 'string',
      placeholder: 'file',
      help: 'Show a scan written by --output, ncdu or gdu (- for standard input)',
    },
    'no-scan-cache': { type: 'bool', help: 'Do not save the scan, and do not show a saved one' },
    'ncdu-read-only': { name: 'read-only', type: 'bool', help: 'Disable delete and move' },
  }),
};
