import { commandFlags, groupFlags } from './flag-definition.ts';

/** Flags of the listing commands. */
export const LISTING_FLAGS = {
  ...groupFlags('listing', {
    'human-readable': { type: 'bool', help: 'Print sizes with suffixes: 1.5Ki, 20Mi' },
  }),
  ...commandFlags(['lsd', 'lsf', 'lsjson', 'touch'], {
    recursive: { short: 'R', type: 'bool', help: 'Include all levels of subdirectories' },
  }),
  ...commandFlags(['tree'], {
    'dirs-only': { short: 'd', type: 'bool', help: 'List directories only' },
  }),
  ...commandFlags(['lsf', 'lsjson'], {
    'ls-dirs-only': { name: 'dirs-only', type: 'bool', help: 'List directories only' },
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
  ...commandFlags(['size', 'about', 'config userinfo'], {
    json: { type: 'bool', help: 'Print JSON' },
  }),
  ...commandFlags(['listremotes'], {
    long: { type: 'bool', help: 'Print the type of each remote too' },
  }),
  ...commandFlags(['lsf'], {
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
};
