import { bool, commandFlags, list } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const PS_FLAGS = {
  ...commandFlags(['ps'], {
    'ps-all': bool('Include runs of other users (root only)', { name: 'all' }),
    'ps-json': bool('Print JSON', { name: 'json' }),
  }),
  ...commandFlags(['stop'], {
    'stop-now': bool(
      'Stop immediately, as Ctrl-C does, and wait for its end; unfinished files are discarded',
      { name: 'now' },
    ),
  }),
  ...commandFlags(['worker'], {
    allow: list('Work only on runs from this source to this destination', {
      oneInVariable: true,
      placeholder: "'source: -> dest:'",
    }),
    'allow-move': list('Also work on moves from this source to this destination', {
      oneInVariable: true,
      placeholder: "'source: -> dest:'",
    }),
    drain: bool('Exit when no run is left'),
    once: bool('Work on one run, then exit'),
  }),
};

export const PS_COMMANDS = commandsOf(() => import('./running.ts'), PS_FLAGS, {
  ps: usage('', 'List runs in progress and mounts', {
    noun: true,
    description: `
Lists what this user runs for more than a second: transfers, check, delete, purge, servers, mounts and hook servers, also
those started by cron or systemd. With --all, root also sees what the users of /etc/passwd run, and changes nothing of
theirs. With --queue, lists the runs of a queue, their workers, and the runs that ended within the last day.`,
    examples: `
syncer ps  # List runs in progress
syncer ps --json  # List them as JSON`,
    see: ['attach', 'mounts'],
  }),
  attach: usage('[run]', 'Watch a run in progress, as with --progress, and control it by keys', {
    description: `
Name a run by its ID or the end of its ID, as "syncer ps" lists it; without a name, attach shows the only run. q leaves
the view; the run continues. Without a terminal, attach prints log lines, and statistics in one line every --stats. With
--queue, it shows a run of a queue with all its workers, s stops the run on all of them, and attach ends with the exit
code of the run.`,
    exits: { 1: 'The run ended with an error' },
    examples: `
syncer attach  # Watch the only run in progress; q leaves it
syncer attach 7k3f --queue rediss://syncer@queue.example  # Watch a run of many machines`,
    see: ['ps', 'stop'],
  }),
  pause: usage('run', 'Pause a run until "syncer resume"', {
    examples: `
syncer pause 7k3f  # Pause the run whose ID ends with 7k3f
syncer pause 20261121-113012-7k3f  # Pause the run with this ID`,
    see: ['resume', 'ps'],
  }),
  resume: usage('run', 'Resume a paused run', {
    examples: `
syncer resume 7k3f  # Resume the run whose ID ends with 7k3f
syncer resume 20261121-113012-7k3f  # Resume the run with this ID`,
    see: ['pause', 'ps'],
  }),
  stop: usage('run', 'Stop a run after its current files', {
    description: `
The next run of the same command continues. With --now, stops it immediately and returns when it has ended. With --queue,
stops a run of a queue on all its workers.`,
    examples: `
syncer stop 7k3f  # Stop a run after its current files
syncer stop 7k3f --now  # Stop it immediately, and wait for its end`,
    see: ['ps', 'pause'],
  }),
  worker: usage('[url]', 'Work on the runs of a queue, together with workers on other machines', {
    noun: true,
    showsStats: 'never',
    description: `
The queue is a Redis or Valkey server: redis://host, rediss://host for TLS, unix:/path. Its password is that of
SYNCER_QUEUE_PASSWORD. "syncer sync a: b: --queue url" adds a run; each worker opens its remotes by its own
configuration, and works only on directories that it sees as the others do. Ctrl-C or SIGTERM returns its ranges to the
others. See docs/many-machines.md.`,
    examples: `
syncer worker rediss://syncer@queue.example  # Work on what others add with sync --queue
syncer worker unix:/run/redis.sock --allow 'lake: -> copy:backup'  # Only from lake: to below copy:backup`,
    see: ['sync', 'ps'],
  }),
  unlock: usage('remote:path run', 'Remove a stale lock from a remote', {
    description: `
The ID of the run is in the message of the run that was refused. Without this command, a lock that is not
renewed is taken over after 75 seconds. A run that is still active stops when its lock is removed.`,
    examples: `
syncer unlock b:data 20261121-113012-7k3f  # Remove the lock of a killed run from b:data
syncer unlock b: 20261121-113012-7k3f --http-proxy http://proxy:3128  # The same through a proxy`,
    see: ['ps', 'sync'],
  }),
  set: {
    usage: 'run transfers=4 bwlimit=10M',
    args: [2, 3],
    summary: 'Change the parallel transfers or the bandwidth of a run in progress',
    description: `
bwlimit=off removes the limit.`,
    examples: `
syncer set 7k3f transfers=8  # Transfer 8 files in parallel from now on
syncer set 7k3f bwlimit=off  # Remove the bandwidth limit`,
    see: ['ps', 'attach'],
  },
});
