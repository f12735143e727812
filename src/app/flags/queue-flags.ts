import { bool, commandFlags, int, list, text } from '../../core/flags.ts';

const shared = ['copy', 'sync', 'move', 'check'] as const;

/** Flags of runs that many machines share. */
export const QUEUE_FLAGS = {
  ...commandFlags([...shared, 'worker', 'ps', 'stop', 'attach'], {
    queue: text(
      'Share runs with workers over a Redis or Valkey server (redis://, rediss://, unix:)',
      { placeholder: 'url' },
    ),
  }),
  ...commandFlags(shared, {
    'no-work': bool('With --queue: only watch, and leave the work to workers'),
    detach: bool('With --queue: print the id of the run and exit; workers do it'),
  }),
  ...commandFlags([...shared, 'worker'], {
    slots: int('Ranges of names at the same time, in a run of a queue', { default: 4 }),
  }),
  ...commandFlags(['worker'], {
    allow: list('Work only on runs from below the one place to below the other (repeatable)', {
      oneInVariable: true,
      placeholder: "'source: -> dest:'",
    }),
    'allow-move': list('The same for moves, which --allow does not permit (repeatable)', {
      oneInVariable: true,
      placeholder: "'source: -> dest:'",
    }),
    drain: bool('Exit when no run is left'),
    once: bool('Work on one run, then exit'),
  }),
} as const;
