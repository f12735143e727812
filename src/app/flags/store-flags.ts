import { commandFlags } from './flag-definition.ts';

/** Flags of the commands about what a server keeps besides current files, and of `doctor`. */
export const STORE_FLAGS = {
  ...commandFlags(['doctor'], {
    'doctor-write': {
      name: 'write',
      type: 'bool',
      help: 'Also write, read and delete a file on each remote',
    },
    'doctor-fix': {
      name: 'fix',
      type: 'bool',
      help: 'Fix modes of files and directories, and delete leftovers of ended processes',
    },
    'doctor-queue': {
      name: 'queue',
      type: 'string',
      placeholder: 'url',
      help: 'Also check the queue of runs on many machines, redis://, rediss:// or unix:',
    },
    'doctor-online': { name: 'online', type: 'bool', help: 'Also look for a newer version' },
  }),
  ...commandFlags(['versions prune'], {
    'versions-keep': {
      name: 'keep',
      type: 'int',
      help: 'Keep this number of old versions of each file, the newest',
    },
    'versions-older-than': {
      name: 'older-than',
      type: 'duration',
      help: 'Only versions that were replaced or deleted longer ago than this',
    },
  }),
  ...commandFlags(['versions restore'], {
    'versions-at': {
      name: 'at',
      type: 'duration',
      placeholder: 'time',
      help: 'Restore all files as they were at this time: a date, or a duration ago',
    },
  }),
  ...commandFlags(['versions ls'], {
    'versions-json': { name: 'json', type: 'bool', help: 'Print JSON' },
  }),
  ...commandFlags(['uploads ls', 'uploads abort'], {
    'uploads-older-than': {
      name: 'older-than',
      type: 'duration',
      help: 'Only uploads that began longer ago than this',
    },
  }),
  ...commandFlags(['uploads ls'], {
    'uploads-json': { name: 'json', type: 'bool', help: 'Print JSON' },
  }),
};
