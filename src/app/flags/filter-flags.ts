import { groupFlags } from './flag-definition.ts';

/** Flags that select files. */
export const FILTER_FLAGS = groupFlags('filter', {
  include: {
    type: 'list',
    placeholder: 'pattern',
    help: 'Include only files that match; a leading / anchors the pattern at the root',
  },
  'include-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Read include patterns from a file (- for standard input)',
  },
  exclude: { type: 'list', placeholder: 'pattern', help: 'Exclude files that match' },
  'exclude-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Read exclude patterns from a file (- for standard input)',
  },
  filter: {
    short: 'f',
    type: 'list',
    placeholder: 'rule',
    help: "Add a filter rule: '+ pattern' or '- pattern'",
  },
  'filter-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Read filter rules from a file (- for standard input)',
  },
  'metadata-include': {
    type: 'list',
    placeholder: 'pattern',
    help: 'Include only files with metadata, as key=value, that matches',
  },
  'metadata-include-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Read patterns of metadata to include from a file (- for standard input)',
  },
  'metadata-exclude': {
    type: 'list',
    placeholder: 'pattern',
    help: 'Exclude files with metadata, as key=value, that matches',
  },
  'metadata-exclude-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Read patterns of metadata to exclude from a file (- for standard input)',
  },
  'metadata-filter': {
    type: 'list',
    placeholder: 'rule',
    help: "Add a rule for metadata: '+ pattern' or '- pattern'",
  },
  'metadata-filter-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Read rules for metadata from a file (- for standard input)',
  },
  'files-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Include only the files listed in a file (- for standard input)',
  },
  'files-from-raw': {
    type: 'list',
    placeholder: 'file',
    help: 'Like --files-from, without comments and trimming',
  },
  'files-from0': {
    type: 'list',
    placeholder: 'file',
    help: 'Like --files-from-raw, with a NUL after each name, as written by find -print0',
  },
  'hash-filter': {
    type: 'string',
    placeholder: 'k/n',
    help: 'Include only part K of N of all files, by a hash of their paths; @/N for a random part',
  },
  'exclude-if-present': {
    type: 'list',
    placeholder: 'name',
    help: 'Exclude directories that contain a file of this name',
  },
  'min-size': {
    type: 'size',
    help: 'Include only files of at least this size, e.g. 500B, 10k, 1.5M',
  },
  'max-size': { type: 'size', help: 'Include only files of at most this size' },
  'min-age': {
    type: 'string',
    placeholder: 'duration',
    help: 'Include only files older than this, e.g. 24h, 7d, 2026-01-31',
  },
  'max-age': {
    type: 'string',
    placeholder: 'duration',
    help: 'Include only files newer than this',
  },
  'ignore-case': { type: 'bool', help: 'Ignore case in patterns' },
  'max-depth': {
    type: 'int',
    default: -1,
    defaultText: 'no limit',
    help: 'Limit the depth to this many levels; 1 is the directory itself',
  },
});
