import { bool, commandFlags, duration } from '../../src/core/flags.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

export const UPLOADS_FLAGS = {
  ...commandFlags(['uploads ls', 'uploads abort'], {
    'uploads-older-than': duration('Only uploads older than this', { name: 'older-than' }),
  }),
  ...commandFlags(['uploads ls'], { 'uploads-json': bool('Print JSON', { name: 'json' }) }),
};

export const UPLOADS_COMMANDS = commandsOf(() => import('./uploads.ts'), UPLOADS_FLAGS, {
  uploads: {
    noun: true,
    usage: 'ls|abort remote:path',
    args: [1, 2],
    transfersNothing: true,
    summary: 'List or abort unfinished uploads (billed by the provider)',
    description: `
Finds the unfinished multipart uploads of a file, or of all files below a directory, also those of other programs.
Interrupted runs leave them, and the next run resumes its own.`,
    subcommands: [
      {
        name: 'ls',
        usage: 'remote:path',
        summary: 'List unfinished uploads: stored bytes, parts, age, path',
        examples: `
syncer uploads ls shelf:  # List unfinished uploads in all buckets
syncer uploads ls shelf:photos --older-than 1d --json  # List those older than a day as JSON`,
        see: ['cleanup'],
      },
      {
        name: 'abort',
        usage: 'remote:path',
        summary: 'Abort unfinished uploads and delete their parts, also of running programs',
        examples: `
syncer uploads abort shelf:photos/film.mp4  # Abort the uploads of one file
syncer uploads abort shelf:photos --older-than 7d  # Abort uploads older than a week`,
        see: ['cleanup'],
      },
    ],
    examples: `
syncer uploads ls shelf:photos  # List unfinished uploads
syncer uploads abort shelf:photos --older-than 7d --dry-run  # Show which would be aborted`,
    see: ['cleanup'],
  },
});
