import { bool, commandFlags, decidingFlags, duration, text } from '../../core/flags.ts';

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
    trash: bool(
      'Keep deleted and replaced files, for undo; in .syncer-trash where the server keeps none',
    ),
  }),
  ...decidingFlags([...trashing, 'bisync'], {
    'trash-keep': duration(
      'Delete what earlier runs left in the trash after this time (off: never)',
      { placeholder: 'duration', default: 30 * 24 * 3_600_000, defaultText: '30d' },
    ),
  }),
  // Of two sides it could only be on one.
  ...decidingFlags([...trashing, 'undo', 'why'], {
    'trash-dir': text('Keep them in this directory of the same server instead (implies --trash)', {
      placeholder: 'remote:path',
    }),
  }),
  ...commandFlags(['trash ls', 'trash restore', 'trash empty'], {
    'trash-run': text('Only what this run deleted or replaced: its ID, or a unique end of it', {
      name: 'run',
      placeholder: 'id',
    }),
    'trash-older-than': duration('Only what was deleted or replaced longer ago than this', {
      name: 'older-than',
    }),
    'trash-at': text('Read this --trash-dir of runs that the history does not have', {
      name: 'trash-dir',
      placeholder: 'remote:path',
    }),
  }),
  ...commandFlags(['trash ls'], { 'trash-json': bool('Print JSON', { name: 'json' }) }),
  ...commandFlags(restoring, {
    'force-undo': bool('Replace files that changed since the run, and keep them in the trash', {
      name: 'force',
    }),
  }),
  ...commandFlags(['history'], {
    'history-json': bool('Print JSON, one object per line', { name: 'json' }),
    'history-html': bool('Print the report of a run as a page, as --report FILE.html writes it', {
      name: 'html',
    }),
  }),
};
