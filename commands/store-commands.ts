import type { CommandSummary } from '../src/shell/command-line/command.ts';
import { commandsOf, usage } from './commands-of.ts';

/** The other commands for files and remotes. */
export const STORE_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./hashsum/sums.ts'), {
    checksum: usage('hash sumfile remote:path', 'Check the files in a path against a SUM file', {
      transfersNothing: true,
      description: `
Reads a SUM file as written by md5sum or hashsum; - is standard input. A file without a sum counts as missing at the
source, a sum without a file as missing at the destination; --one-way ignores the former. Exits with code 1 if anything
differs.`,
    }),
  }),
  ...commandsOf(() => import('./touch/touch.ts'), {
    touch: usage('remote:path', 'Set the modification time of files, or create an empty file', {
      changes: true,
      transfersNothing: true,
      description: `
Sets the current time, or that of --timestamp. Creates an empty file if none exists, unless --no-create or --recursive
is given. On a directory, touches the files in it, and with --recursive those in subdirectories too.`,
    }),
  }),
  ...commandsOf(() => import('./features/features.ts'), {
    about: usage('remote:', 'Print the total and used space of a remote', {
      transfersNothing: true,
    }),
  }),
  ...commandsOf(() => import('./copyurl/streams.ts'), {
    copyurl: usage('https://example.com dest:path', 'Download a URL to a file', {
      changes: true,
      args: [1, 2],
      showsStats: true,
      listed: 'only',
      description: `
Writes the file dest:path. With --auto-filename dest:path is a directory, and the file name is taken from the URL after
all redirects. With --stdout, or - as dest:path, writes to standard output. The file appears when it is complete.

With --urls the first argument is a CSV file (- for standard input) with a URL in each line, and after a comma the path
of the file in the directory dest:path. Without a path the name is taken from the URL. --transfers are downloaded at the
same time; if some fail, the others are complete.`,
    }),
  }),
  ...commandsOf(() => import('./features/features.ts'), {
    link: usage('remote:path', 'Print a public link to a file', {
      transfersNothing: true,
      description: `
On S3 the link is a presigned URL. It is valid for a week, or less with --expire, and cannot be revoked.`,
    }),
  }),
  ...commandsOf(() => import('./dedupe/dedupe.ts'), {
    dedupe: usage('[mode] remote:path', 'Find duplicate files and delete all but one', {
      changes: true,
      transfersNothing: true,
      description: `
With --by-hash finds files with the same content, whatever their names. The mode says what to do with them:
interactive asks, list prints them, skip keeps them all; first, newest, oldest, largest and smallest choose the one to
keep. Without --by-hash looks for files with the same name, which no backend of syncer allows.`,
    }),
  }),
  ...commandsOf(() => import('./features/features.ts'), {
    settier: usage('tier remote:path', 'Move files to another storage class', {
      transfersNothing: true,
      description: `
The tier is the provider's own name, such as STANDARD_IA or GLACIER. Filters select files in a directory.`,
    }),
  }),
  ...commandsOf(() => import('./versions/versions.ts'), {
    versions: {
      noun: true,
      usage: 'ls|restore|prune remote:path',
      args: [1, 2],
      transfersNothing: true,
      summary: 'List, restore or delete old versions, which are stored and billed',
      description: `
For buckets with versioning, and for a file or all files below a directory. Filters select versions by their name, size
and age.`,
      subcommands: [
        {
          name: 'ls',
          usage: 'remote:path',
          summary: 'List all versions and delete markers: size, time, kind, ID, path',
        },
        {
          name: 'restore',
          usage: 'remote:path',
          summary: 'Copy old versions onto their files, with their metadata',
          description: `
Restores the newest old version of a file. With --at, restores all files below a directory as they were then; files that
did not exist then stay. Nothing is lost: what is replaced becomes an old version.`,
        },
        {
          name: 'prune',
          usage: 'remote:path',
          summary: 'Delete old versions for good, and delete markers that hide nothing',
          description: `
Needs --keep or --older-than; with both, deletes only what both allow. Current files stay. This cannot be undone: on a
terminal it asks you to type the number of versions; --allow-deletes answers that. See first with --dry-run.`,
        },
      ],
    },
  }),
  ...commandsOf(() => import('./uploads/uploads.ts'), {
    uploads: {
      noun: true,
      usage: 'ls|abort remote:path',
      args: [1, 2],
      transfersNothing: true,
      summary: 'List or abort unfinished uploads, which are stored and billed',
      description: `
Finds the unfinished multipart uploads of a file, or of all files below a directory, also those of other programs.
Interrupted runs leave them, and the next run resumes its own.`,
      subcommands: [
        {
          name: 'ls',
          usage: 'remote:path',
          summary: 'List unfinished uploads: stored bytes, parts, age, path',
        },
        {
          name: 'abort',
          usage: 'remote:path',
          summary: 'Abort unfinished uploads and delete their parts, also of running programs',
        },
      ],
    },
  }),
  ...commandsOf(() => import('./backend/backend.ts'), {
    backend: usage('command remote:path [argument…]', 'Run a command that only one backend has', {
      args: [2, 10_000],
      transfersNothing: true,
      description: `
syncer backend help remote: lists the commands of a backend: on S3 restore and restore-status for archived objects,
versioning, cleanup-hidden, cleanup and list-multipart-uploads. Options are given by -o name=value. Results are JSON.
syncer backend features remote: prints what a remote supports.`,
    }),
  }),
  ...commandsOf(() => import('./remotes/remotes.ts'), {
    obscure: usage('password', 'Obscure a password for the configuration file', {
      description: `
This hides a password from onlookers, but does not protect it: anyone can reveal it. With - reads the password from the
first line of standard input.`,
    }),
    reveal: usage('password', 'Reveal an obscured password', { hidden: true }),
  }),
];
