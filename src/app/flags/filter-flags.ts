import type { FlagDefinition } from './flag-definition.ts';

/** Flags that choose the files a command works on. */
export const FILTER_FLAGS = {
  include: {
    type: 'list',
    placeholder: 'pattern',
    help: 'Only files that match; a leading / ties the pattern to the root',
    group: 'filter',
  },
  'include-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Read include patterns from a file (- for standard input)',
    group: 'filter',
  },
  exclude: {
    type: 'list',
    placeholder: 'pattern',
    help: 'Leave out files that match',
    group: 'filter',
  },
  'exclude-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Read exclude patterns from a file (- for standard input)',
    group: 'filter',
  },
  filter: {
    short: 'f',
    type: 'list',
    placeholder: 'rule',
    help: "Add a rule: '+ pattern' or '- pattern'",
    group: 'filter',
  },
  'filter-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Read rules from a file (- for standard input)',
    group: 'filter',
  },
  'files-from': {
    type: 'list',
    placeholder: 'file',
    help: 'Only the files named in a file (- for standard input)',
    group: 'filter',
  },
  'files-from-raw': {
    type: 'list',
    placeholder: 'file',
    help: 'As --files-from, without comments and trimming',
    group: 'filter',
  },
  'exclude-if-present': {
    type: 'list',
    placeholder: 'name',
    help: 'Leave out directories that hold a file of this name',
    group: 'filter',
  },
  'min-size': {
    type: 'size',
    help: 'Only files of at least this size, e.g. 500B, 10k, 1.5M',
    group: 'filter',
  },
  'max-size': {
    type: 'size',
    help: 'Only files of at most this size',
    group: 'filter',
  },
  'min-age': {
    type: 'string',
    placeholder: 'duration',
    help: 'Only files older than this, e.g. 24h, 7d, 2026-01-31',
    group: 'filter',
  },
  'max-age': {
    type: 'string',
    placeholder: 'duration',
    help: 'Only files younger than this',
    group: 'filter',
  },
  'ignore-case': {
    type: 'bool',
    help: 'Patterns match without regard to case',
    group: 'filter',
  },
  'max-depth': {
    type: 'int',
    default: -1,
    defaultText: 'no limit',
    help: 'Go down this many levels only; 1 is the directory itself',
    group: 'filter',
  },
} as const satisfies Record<string, FlagDefinition>;
