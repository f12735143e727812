import { bool, commandFlags, decidingFlags, duration, int, list, text } from '../../core/flags.ts';

/** The commands with `--trash`. */
const trashing = [
  ...['copy', 'sync', 'move', 'copyto', 'moveto', 'convmv', 'delete', 'deletefile', 'purge'],
  ...['rcat', 'copyurl', 'dedupe', 'ncdu'],
] as const;

/** The commands that restore from the trash: they delete nothing from it. */
const restoring = ['undo', 'trash restore'] as const;
const transferring = ['copy', 'sync', 'move', 'copyto', 'moveto', 'convmv'] as const;
const shared = ['copy', 'sync', 'move', 'check'] as const;

/** Flags for the history of runs, for undo, for running runs and locks between them, and for runs of many machines. */
export const RUN_FLAGS = {
  ...decidingFlags([...trashing, ...restoring, 'bisync', 'why'], {
    trash: bool(
      'Keep deleted and replaced files, for undo; in .syncer-trash where the server keeps none',
    ),
  }),
  ...decidingFlags([...trashing, 'bisync', 'why'], {
    'trash-keep': duration(
      'Delete what earlier runs left in the trash after this time (off: never)',
      { of: 'trash', placeholder: 'duration', default: 30 * 24 * 3_600_000, defaultText: '30d' },
    ),
  }),
  // Of two sides it could only be on one.
  ...decidingFlags([...trashing, 'undo', 'why'], {
    'trash-dir': text(
      'Keep deleted and replaced files in this directory of the same server (implies --trash)',
      'remote:path',
    ),
  }),
  ...commandFlags(restoring, {
    'force-undo': bool('Replace files that changed since the run, and keep them in the trash', {
      name: 'force',
    }),
  }),
  // The journal of the run needs it.
  ...commandFlags(['trash ls', 'trash restore', 'trash empty'], {
    'trash-at': text('Read this --trash-dir of runs that the history does not have', {
      name: 'trash-dir',
      placeholder: 'remote:path',
    }),
  }),
  ...commandFlags([...transferring, 'bisync', 'delete', 'purge', 'apply', 'run', 'why'], {
    lock: bool('Exit with 75 if a run on this machine already changes the same directory'),
    'lock-wait': duration('Wait up to this long for a lock (implies --lock)', {
      defaultText: 'off',
    }),
  }),
  // A purge would delete the lock with the rest.
  ...commandFlags([...transferring, 'delete', 'apply', 'run', 'why'], {
    'lock-remote': bool(
      'Lock the destination for all machines, by a file at its root (S3 with conditional writes, Microsoft drives)',
    ),
  }),
  ...commandFlags([...shared, 'worker', 'ps', 'stop', 'attach'], {
    queue: text(
      'Share runs with workers over a Redis or Valkey server (redis://, rediss://, unix:)',
      'url',
    ),
  }),
  ...commandFlags(shared, {
    'no-work': bool('Only watch, and leave the work to workers', { of: 'queue' }),
    detach: bool('Print the ID of the run and exit; workers do it', { of: 'queue' }),
  }),
  ...commandFlags([...shared, 'worker'], {
    slots: int('Parallel key ranges per worker', { of: 'queue', default: 4 }),
  }),
} as const;

/** Flags for what follows a run: reports, pings and commands. */
export const REPORT_FLAGS = commandFlags(
  [
    ...([
      'copy',
      'sync',
      'move',
      'copyto',
      'moveto',
      'convmv',
      'bisync',
      'check',
      'scrub',
    ] as const),
    ...(['delete', 'purge', 'apply', 'run'] as const),
  ],
  {
    report: list(
      'Write a report of the run to this file, local or remote: FILE.html, or JSON',
      'path',
    ),
    'ping-url': text('Ping a service such as healthchecks.io when the run starts and ends', 'url'),
    'on-success': text(
      'Run this shell command after a run that succeeded; it reads the report',
      'command',
    ),
    'on-failure': text(
      'Run this shell command after a run that failed or was stopped; it reads the report',
      'command',
    ),
    'on-change': text(
      'Run this shell command after a run that changed something; it reads the report',
      'command',
    ),
    'quiet-unless': text(
      'Log to standard error only if the run fails (error), or also if it changes something (change)',
      { values: ['error', 'change'], placeholder: 'what' },
    ),
  },
);
