import { bool, commandFlags, groupFlags, int, list, text } from '../../core/flags.ts';
import { DURATION_OFF, parseDuration } from '../../go/duration.ts';

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
    'human-readable': bool('Print sizes with suffixes: 1.5Ki, 20Mi'),
    'default-time': text(
      'Time to show if the modification time is unknown: a date, or a duration ago (0s for now)',
      { default: '2000-01-01T00:00:00Z', placeholder: 'time', check: wrongTime },
    ),
  }),
  ...commandFlags(['lsd', 'lsf', 'lsjson', 'touch'], {
    recursive: bool('Include all levels of subdirectories', { short: 'R' }),
  }),
  ...commandFlags(['tree'], { 'dirs-only': bool('List directories only', { short: 'd' }) }),
  ...commandFlags(['lsf', 'lsjson', ...transferring], {
    'ls-dirs-only': bool('List directories only', { name: 'dirs-only' }),
  }),
  ...commandFlags(['lsf', 'lsjson'], { 'files-only': bool('List files only') }),
  ...commandFlags(['lsjson'], {
    'lsjson-hash': bool('Include hashes (may be slow)', { name: 'hash' }),
    'hash-type': list('Include only this hash (may be given several times)', {
      oneInVariable: true,
      placeholder: 'name',
    }),
    'no-modtime': bool('Do not read modification times (faster on some backends)'),
    'no-mimetype': bool('Do not read MIME types (faster on some backends)'),
    stat: bool('Print only the file or directory that is named'),
    encrypted: bool('Include encrypted names (crypt remotes only)'),
    original: bool('Include the ID of the underlying file'),
  }),
  ...commandFlags(['size', 'about', 'backend', 'config userinfo', 'doctor', 'why'], {
    json: bool('Print JSON'),
  }),
  ...commandFlags(['listremotes'], {
    long: bool('Print the type and description of each remote too'),
    'remotes-json': bool('Print JSON', { name: 'json' }),
    'remotes-name': text('List only remotes with a matching name', {
      name: 'name',
      default: '',
      placeholder: 'pattern',
    }),
    'remotes-type': text('List only remotes of a matching type', {
      name: 'type',
      default: '',
      placeholder: 'pattern',
    }),
    'remotes-source': text('List only remotes from a matching source: file or environment', {
      name: 'source',
      default: '',
      placeholder: 'pattern',
    }),
    'remotes-description': text('List only remotes with a matching description', {
      name: 'description',
      default: '',
      placeholder: 'pattern',
    }),
    'exact-remotes': bool('Patterns match whole values, not parts of them', { name: 'exact' }),
    'order-remotes-by': text("Sort order, e.g. 'type,name=descending'", {
      name: 'order-by',
      default: '',
      placeholder: 'fields',
    }),
  }),
  ...commandFlags(['lsf'], {
    'time-format': text(
      'Format of times: a Go layout or its name (RFC3339, DateOnly), unix, unixnano or max',
      { short: 't', default: '', defaultText: '2006-01-02 15:04:05', placeholder: 'layout' },
    ),
  }),
  ...commandFlags(['lsf', ...transferring], {
    format: text('What to print: letters from p s t h i o m e T M', { short: 'F', default: 'p' }),
    separator: text('Separator between columns', { short: 's', defaultText: '; or with --csv ,' }),
    'dir-slash': bool('Append a slash to directory names', { short: 'd', default: true }),
    absolute: bool('Prepend a slash to paths'),
    csv: bool('Print CSV'),
    'lsf-hash': text('Hash for the format letter h', {
      name: 'hash',
      default: 'md5',
      placeholder: 'name',
    }),
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
  ...commandFlags(['ncdu'], {
    'ncdu-all': bool('Include old versions, delete markers and unfinished uploads (on S3)', {
      name: 'all',
    }),
    diff: text(
      'Show what has changed since the saved scan nearest to this age (30d) or date, or since the scan in a file',
      { placeholder: 'age|file' },
    ),
    html: text(
      'Write the scan to a file as one web page with a map and a table (- for standard output)',
      { placeholder: 'file' },
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
  }),
};
