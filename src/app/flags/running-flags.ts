import { bool, commandFlags, duration } from '../../core/flags.ts';

const transferring = ['copy', 'sync', 'move', 'copyto', 'moveto', 'convmv'] as const;

/** Flags of running runs, and of locks between them. */
export const RUNNING_FLAGS = {
  ...commandFlags([...transferring, 'bisync', 'delete', 'purge', 'apply', 'run', 'why'], {
    lock: bool('Exit with 75 if another run on this machine changes the same place'),
    'lock-wait': duration(
      'Lock, and wait up to this long for another run that changes the same place',
      { defaultText: 'not' },
    ),
  }),
  // A purge would delete the lock with the rest.
  ...commandFlags([...transferring, 'delete', 'apply', 'run', 'why'], {
    'lock-remote': bool(
      'Lock the destination for all machines, by a file at its root (S3 with conditional writes, Microsoft drives)',
    ),
  }),
  ...commandFlags(['ps'], {
    'ps-all': bool('Also what other users run (root only)', { name: 'all' }),
    'ps-json': bool('Print JSON', { name: 'json' }),
  }),
  ...commandFlags(['stop'], {
    'stop-now': bool(
      'Stop immediately, as Ctrl-C does, and wait for its end; unfinished files are discarded',
      { name: 'now' },
    ),
  }),
} as const;
