import { commandFlags, decidingFlags } from './flag-definition.ts';

/** The commands with `--trash`. */
const trashing = [
  ...['copy', 'sync', 'move', 'copyto', 'moveto', 'convmv', 'delete', 'deletefile', 'purge'],
  ...['rcat', 'copyurl', 'dedupe'],
] as const;

/** The commands that restore from the trash: they delete nothing from it. */
const restoring = ['undo', 'trash restore'] as const;

/** Flags for the history of runs, for undoing them, and for what undo needs. */
export const HISTORY_FLAGS = {
  ...decidingFlags([...trashing, ...restoring, 'bisync', 'why'], {
    trash: {
      type: 'bool',
      help: 'Keep deleted and replaced files, for undo; in .syncer-trash where the server keeps none',
    },
  }),
  ...decidingFlags([...trashing, 'bisync'], {
    'trash-keep': {
      type: 'duration',
      placeholder: 'duration',
      default: 30 * 24 * 3_600_000,
      defaultText: '30d',
      help: 'Delete what earlier runs left in the trash after this time (off: never)',
    },
  }),
  // Of two sides it could only be on one.
  ...decidingFlags([...trashing, 'undo', 'why'], {
    'trash-dir': {
      type: 'string',
      placeholder: 'remote:path',
      help: 'Keep them in this directory of the same server instead (implies --trash)',
    },
  }),
  ...commandFlags(['trash ls', 'trash restore', 'trash empty'], {
    'trash-run': {
      name: 'run',
      type: 'string',
      placeholder: 'id',
      help: 'Only what this run deleted or replaced: its ID, or a unique end of it',
    },
    'trash-older-than': {
      name: 'older-than',
      type: 'duration',
      help: 'Only what was deleted or replaced longer ago than this',
    },
    'trash-at': {
      name: 'trash-dir',
      type: 'string',
      placeholder: 'remote:path',
      help: 'Read this --trash-dir of runs that the history does not have',
    },
  }),
  ...commandFlags(['trash ls'], {
    'trash-json': { name: 'json', type: 'bool', help: 'Print JSON' },
  }),
  ...commandFlags(restoring, {
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
