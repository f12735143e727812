import { commandFlags } from './flag-definition.ts';

const transferring = ['copy', 'sync', 'move', 'copyto', 'moveto', 'convmv'] as const;

/** Flags of running runs, and of locks between them. */
export const RUNNING_FLAGS = {
  ...commandFlags([...transferring, 'bisync', 'delete', 'purge', 'apply', 'run', 'why'], {
    lock: {
      type: 'bool',
      help: 'Exit with 75 if another run on this machine changes the same place',
    },
    'lock-wait': {
      type: 'duration',
      defaultText: 'not',
      help: 'Lock, and wait up to this long for another run that changes the same place',
    },
  }),
  // A purge would delete the lock with the rest.
  ...commandFlags([...transferring, 'delete', 'apply', 'run', 'why'], {
    'lock-remote': {
      type: 'bool',
      help: 'Lock the destination for all machines, by a file at its root (S3 with conditional writes, Microsoft drives)',
    },
  }),
  ...commandFlags(['ps'], {
    'ps-all': {
      name: 'all',
      type: 'bool',
      help: 'Also what other users run (root only)',
    },
    'ps-json': { name: 'json', type: 'bool', help: 'Print JSON' },
  }),
  ...commandFlags(['stop'], {
    'stop-now': {
      name: 'now',
      type: 'bool',
      help: 'Stop immediately, as Ctrl-C does, and wait for its end; unfinished files are discarded',
    },
  }),
} as const;
