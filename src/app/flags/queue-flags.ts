import { commandFlags } from './flag-definition.ts';

const shared = ['copy', 'sync', 'move', 'check'] as const;

/** Flags of runs that many machines share. */
export const QUEUE_FLAGS = {
  ...commandFlags([...shared, 'worker', 'ps', 'stop', 'attach'], {
    queue: {
      type: 'string',
      placeholder: 'url',
      help: 'Share runs with workers over a Redis or Valkey server (redis://, rediss://, unix:)',
    },
  }),
  ...commandFlags(shared, {
    'no-work': { type: 'bool', help: 'With --queue: only watch, and leave the work to workers' },
    detach: { type: 'bool', help: 'With --queue: print the id of the run and exit; workers do it' },
  }),
  ...commandFlags([...shared, 'worker'], {
    slots: {
      type: 'int',
      default: 4,
      help: 'Ranges of names at the same time, in a run of a queue',
    },
  }),
  ...commandFlags(['worker'], {
    allow: {
      type: 'list',
      oneInVariable: true,
      placeholder: "'source: -> dest:'",
      help: 'Work only on runs from below the one place to below the other (repeatable)',
    },
    'allow-move': {
      type: 'list',
      oneInVariable: true,
      placeholder: "'source: -> dest:'",
      help: 'The same for moves, which --allow does not permit (repeatable)',
    },
    drain: { type: 'bool', help: 'Exit when no run is left' },
    once: { type: 'bool', help: 'Work on one run, then exit' },
  }),
} as const;
