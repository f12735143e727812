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
    help: 'Append this to the names of files kept by --backup-dir or in place',
    group: 'sync',
  },
  'suffix-keep-extension': {
    type: 'bool',
    help: 'Insert --suffix before the extension',
    group: 'sync',
  },
  'delete-before': {
    type: 'bool',
    help: 'Delete extra files at the destination before transferring',
    group: 'sync',
  },
  'delete-during': {
    type: 'bool',
    help: 'Delete extra files at the destination during transfers',
    group: 'sync',
  },
  'delete-after': {
    type: 'bool',
    help: 'Delete extra files at the destination after all transfers (default)',
    group: 'sync',
  },
  'delete-excluded': {
    type: 'bool',
    help: 'Also delete files at the destination that the filter excludes',
    group: 'sync',
  },
  'max-delete': {
    type: 'int',
    defaultText: 'no limit',
    help: 'Stop if more files than this would be deleted',
    group: 'sync',
  },
  'ignore-errors': {
    type: 'bool',
    help: 'Delete even if there were errors',
    group: 'sync',
  },
  'track-renames': {
    type: 'bool',
    help: 'Detect renamed files and rename them at the destination',
    group: 'sync',
  },
  'track-renames-strategy': {
    type: 'string',
    default: 'hash',
    placeholder: 'names',
    help: 'How to detect renames: a comma-separated list of hash, modtime, leaf; size is always compared',
    group: 'sync',
  },
} as const satisfies Record<string, FlagDefinition>;
