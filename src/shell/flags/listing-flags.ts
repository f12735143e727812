import { bool, commandFlags, groupFlags, list, text } from '../../core/flags.ts';
import { DURATION_OFF, parseDuration } from '../../go/quantities.ts';

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
  ...commandFlags(['lsf', 'lsjson', ...transferring], {
    'ls-dirs-only': bool('List directories only', { of: 'dest-after', name: 'dirs-only' }),
  }),
  ...commandFlags(['lsf', 'lsjson'], { 'files-only': bool('List files only') }),
  ...commandFlags(['lsjson'], {
    'lsjson-hash': bool('Include hashes (may be slow)', { name: 'hash' }),
    'hash-type': list('Include only this hash', {
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
  ...commandFlags(['lsf', ...transferring], {
    format: text('What to print: letters from p s t h i o m e T M', {
      of: 'dest-after',
      short: 'F',
      default: 'p',
    }),
    separator: text('Separator between columns', {
      of: 'dest-after',
      short: 's',
      defaultText: '; or with --csv ,',
    }),
    'dir-slash': bool('Append a slash to directory names', {
      of: 'dest-after',
      short: 'd',
      default: true,
    }),
    absolute: bool('Prepend a slash to paths', { of: 'dest-after' }),
    csv: bool('Print CSV', { of: 'dest-after' }),
    'lsf-hash': text('Hash for the format letter h', {
      of: 'dest-after',
      name: 'hash',
      default: 'md5',
      placeholder: 'name',
    }),
  }),
};
