import { bool, groupFlags, int, list, size, text } from '../../core/flags.ts';

/** Flags that select files. */
export const FILTER_FLAGS = groupFlags('filter', {
  include: list(
    'Include only files that match; a leading / anchors the pattern at the root',
    'pattern',
  ),
  'include-from': list('Read include patterns from a file (- for standard input)', 'file'),
  exclude: list('Exclude files that match', 'pattern'),
  'exclude-from': list('Read exclude patterns from a file (- for standard input)', 'file'),
  filter: list("Add a filter rule: '+ pattern' or '- pattern'", {
    short: 'f',
    placeholder: 'rule',
  }),
  'filter-from': list('Read filter rules from a file (- for standard input)', 'file'),
  'metadata-include': list(
    'Include only files with metadata, as key=value, that matches',
    'pattern',
  ),
  'metadata-include-from': list(
    'Read patterns of metadata to include from a file (- for standard input)',
    'file',
  ),
  'metadata-exclude': list('Exclude files with metadata, as key=value, that matches', 'pattern'),
  'metadata-exclude-from': list(
    'Read patterns of metadata to exclude from a file (- for standard input)',
    'file',
  ),
  'metadata-filter': list("Add a rule for metadata: '+ pattern' or '- pattern'", 'rule'),
  'metadata-filter-from': list(
    'Read rules for metadata from a file (- for standard input)',
    'file',
  ),
  'files-from': list('Include only the files listed in a file (- for standard input)', 'file'),
  'files-from-raw': list('Like --files-from, without comments and trimming', 'file'),
  'files-from0': list(
    'Like --files-from-raw, with a NUL after each name, as written by find -print0',
    'file',
  ),
  'hash-filter': text(
    'Include only part K of N of all files, by a hash of their paths; @/N for a random part',
    'k/n',
  ),
  'exclude-if-present': list('Exclude directories that contain a file of this name', 'name'),
  'min-size': size('Include only files of at least this size, e.g. 500B, 10k, 1.5M'),
  'max-size': size('Include only files of at most this size'),
  'min-age': text('Include only files older than this, e.g. 24h, 7d, 2026-01-31', 'duration'),
  'max-age': text('Include only files newer than this', 'duration'),
  'ignore-case': bool('Ignore case in patterns'),
  'max-depth': int('Limit the depth to this many levels; 1 is the directory itself', {
    default: -1,
    defaultText: 'no limit',
  }),
});
