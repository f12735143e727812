import { commandFlags } from './flag-definition.ts';

/** The commands with `--trash`. */
const trashing = [
  ...['copy', 'sync', 'move', 'copyto', 'moveto', 'convmv', 'delete', 'deletefile', 'purge'],
  ...['rcat', 'copyurl', 'dedupe', 'undo'],
] as const;

/** Flags for the history of runs, for undoing them, and for what undo needs. */
export const HISTORY_FLAGS = {
  ...commandFlags([...trashing, 'bisync'], {
    trash: {
      type: 'bool',
      help: 'Keep deleted and replaced files, for undo; in .syncer-trash where the server keeps none',
    },
    'trash-keep': {
      type: 'duration',
      placeholder: 'duration',
      default: 30 * 24 * 3_600_000,
      defaultText: '30d',
      help: 'Delete what earlier runs left in the trash after this time (off: never)',
    },
  }),
  // Of two sides it could only be on one.
  ...commandFlags(trashing, {
    'trash-dir': {
      type: 'string',
      placeholder: 'remote:path',
      help: 'Keep them in this directory of the same server instead (implies --trash)',
    },
  }),
  ...commandFlags(['undo'], {
    'force-undo': {
      name: 'force',
      type: 'bool',
      help: 'Replace files that changed since the run, and keep them in the trash',
    },
  }),
  ...commandFlags(['history'], {
    'history-json': { name: 'json', type: 'bool', help: 'Print JSON, one object per line' },
    'history-html': {
      name: 'html',
      type: 'bool',
      help: 'Print the report of a run as a page, as --report FILE.html writes it',
    },
  }),
};
