import { bool, commandFlags, duration, int, text } from '../../core/flags.ts';

/** Flags of the commands about what a server keeps besides current files, and of `doctor`. */
export const STORE_FLAGS = {
  ...commandFlags(['doctor'], {
    'doctor-write': bool('Also write, read and delete a file on each remote', { name: 'write' }),
    'doctor-fix': bool(
      'Fix modes of files and directories, and delete leftovers of ended processes',
      { name: 'fix' },
    ),
    'doctor-queue': text(
      'Also check the queue of runs on many machines, redis://, rediss:// or unix:',
      { name: 'queue', placeholder: 'url' },
    ),
    'doctor-online': bool('Also look for a newer version', { name: 'online' }),
  }),
  ...commandFlags(['versions prune'], {
    'versions-keep': int('Keep this number of old versions of each file, the newest', {
      name: 'keep',
    }),
    'versions-older-than': duration(
      'Only versions that were replaced or deleted longer ago than this',
      { name: 'older-than' },
    ),
  }),
  ...commandFlags(['versions restore'], {
    'versions-at': duration(
      'Restore all files as they were at this time: a date, or a duration ago',
      { name: 'at', placeholder: 'time' },
    ),
  }),
  ...commandFlags(['versions ls'], { 'versions-json': bool('Print JSON', { name: 'json' }) }),
  ...commandFlags(['uploads ls', 'uploads abort'], {
    'uploads-older-than': duration('Only uploads that began longer ago than this', {
      name: 'older-than',
    }),
  }),
  ...commandFlags(['uploads ls'], { 'uploads-json': bool('Print JSON', { name: 'json' }) }),
};
