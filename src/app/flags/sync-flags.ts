import { groupFlags } from './flag-definition.ts';

/** Flags for deletions, backups and renames. */
export const SYNC_FLAGS = groupFlags('sync', {
  'backup-dir': {
    type: 'string',
    placeholder: 'remote:path',
    help: 'Move what would be deleted or overwritten to this directory',
  },
  suffix: {
    type: 'string',
    help: 'Append this to the names of files kept by --backup-dir or in place',
  },
  'suffix-keep-extension': { type: 'bool', help: 'Insert --suffix before the extension' },
  'delete-before': {
    type: 'bool',
    help: 'Delete extra files at the destination before transferring',
  },
  'delete-during': { type: 'bool', help: 'Delete extra files at the destination during transfers' },
  'delete-after': {
    type: 'bool',
    help: 'Delete extra files at the destination after all transfers (default)',
  },
  'delete-excluded': {
    type: 'bool',
    help: 'Also delete files at the destination that the filter excludes',
  },
  'max-delete': {
    type: 'int',
    defaultText: 'no limit',
    help: 'Stop if more files than this would be deleted',
  },
  'ignore-errors': { type: 'bool', help: 'Delete even if there were errors' },
  'track-renames': {
    type: 'bool',
    help: 'Detect renamed files and rename them at the destination',
  },
  'track-renames-strategy': {
    type: 'string',
    default: 'hash',
    placeholder: 'names',
    help: 'How to detect renames: a comma-separated list of hash, modtime, leaf; size is always compared',
  },
});
