import type { FlagDefinition } from './flag-definition.ts';

/** Flags about what sync and move take away, and what is kept of it. */
export const SYNC_FLAGS = {
  'backup-dir': {
    type: 'string',
    placeholder: 'remote:path',
    help: 'Move what would be deleted or overwritten to this directory',
    group: 'sync',
  },
  suffix: {
    type: 'string',
    help: 'Append this to the names of files that are kept by --backup-dir or in place',
    group: 'sync',
  },
  'suffix-keep-extension': {
    type: 'bool',
    help: 'Put --suffix before the extension',
    group: 'sync',
  },
  'delete-before': {
    type: 'bool',
    help: 'Delete at the destination before anything is transferred',
    group: 'sync',
  },
  'delete-during': {
    type: 'bool',
    help: 'Delete at the destination while transferring',
    group: 'sync',
  },
  'delete-after': {
    type: 'bool',
    help: 'Delete at the destination when all is transferred (default)',
    group: 'sync',
  },
  'delete-excluded': {
    type: 'bool',
    help: 'Delete files at the destination that the filter excludes, too',
    group: 'sync',
  },
  'max-delete': {
    type: 'int',
    defaultText: 'no limit',
    help: 'Stop when more files than this would be deleted',
    group: 'sync',
  },
  'ignore-errors': {
    type: 'bool',
    help: 'Delete also when there were errors',
    group: 'sync',
  },
  'track-renames': {
    type: 'bool',
    help: 'Find files that were renamed and rename them at the destination',
    group: 'sync',
  },
  'track-renames-strategy': {
    type: 'string',
    default: 'hash',
    placeholder: 'names',
    help: 'By what renamed files are found: hash, modtime, leaf, or several with commas between; size always counts',
    group: 'sync',
  },
} as const satisfies Record<string, FlagDefinition>;
