import type { CommandSummary } from '../src/app/command.ts';
import { commandsOf } from './commands-of.ts';

const ONE_PATH = { usage: 'remote:path', args: [1, 1], transfersNothing: true } as const;
const HASHED = { usage: '[remote:path]', args: [0, 1], transfersNothing: true } as const;

/** The commands that list a remote, and those that work on one path in it. */
export const LISTING_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./ls-and-size.ts'), {
    ls: { ...ONE_PATH, summary: 'List files with their sizes' },
    lsl: { ...ONE_PATH, summary: 'List files with sizes and modification times' },
    lsd: { ...ONE_PATH, summary: 'List directories or buckets; with -R, those of all levels' },
  }),
  ...commandsOf(() => import('./lsf.ts'), {
    lsf: {
      ...ONE_PATH,
      summary: 'List files and directories in a form for scripts',
      description: `
--format chooses the columns: p path, s size, t modification time, h hash, i ID, o original ID, m MIME type,
T storage tier, M metadata. Directories end in a slash. Lists one level unless -R is given.

--time-format writes times in another way: as a Go layout ('2006-01-02', 'Jan _2 15:04:05.000'), by its name (RFC3339,
DateTime, DateOnly), as seconds (unix) or nanoseconds (unixnano) since 1970, or as precisely as the remote has
them (max).`,
    },
  }),
  ...commandsOf(() => import('./lsjson.ts'), {
    lsjson: { ...ONE_PATH, summary: 'List files and directories as JSON, one object per line' },
  }),
  ...commandsOf(() => import('./ls-and-size.ts'), {
    size: { ...ONE_PATH, summary: 'Print the number and total size of files' },
  }),
  ...commandsOf(() => import('./tree.ts'), {
    tree: { ...ONE_PATH, summary: 'Print a directory tree' },
  }),
  ...commandsOf(() => import('./ncdu.ts'), {
    ncdu: {
      changes: true,
      noun: true,
      usage: '[remote:path] [remote:path]',
      args: [0, 2],
      summary: 'Browse disk usage; delete, copy and move files',
      description: `
The browser opens immediately and fills while the path is scanned; ? shows its keys. Two paths are shown side by side;
Tab goes from one to the other, and p and P copy and move across. It asks before deleting anything;
with --dry-run or --read-only it deletes nothing. With --output, writes the scan to a file in ncdu's JSON format instead,
which --import, ncdu and gdu can open. Scans are saved: the last one of a path is shown until it is scanned again, and
--diff shows what has changed since one; with --output, as lines of text.`,
    },
  }),
  ...commandsOf(() => import('./cat.ts'), {
    cat: {
      ...ONE_PATH,
      transfersNothing: false,
      summary: 'Print the contents of files',
      description: `
On a directory, prints all its files in turn. --head, --tail, or --offset with --count print a part of each file.`,
    },
  }),
  ...commandsOf(() => import('./streams.ts'), {
    rcat: {
      changes: true,
      ...ONE_PATH,
      listed: 'only',
      transfersNothing: false,
      summary: 'Upload standard input to a file',
      description: `
Reads input of any length. Replaces an existing file only after the upload is complete.`,
    },
  }),
  ...commandsOf(() => import('./sums.ts'), {
    md5sum: { ...HASHED, summary: 'Print the MD5 of files or of standard input' },
    sha1sum: { ...HASHED, summary: 'Print the SHA-1 of files or of standard input' },
    hashsum: {
      usage: '[hash] [remote:path]',
      args: [0, 2],
      transfersNothing: true,
      summary: 'Print hashes of files; without arguments list the supported hashes',
    },
  }),
  ...commandsOf(() => import('./directories.ts'), {
    mkdir: {
      changes: true,
      ...ONE_PATH,
      summary: 'Create a directory or bucket if it does not exist',
    },
    rmdir: { changes: true, ...ONE_PATH, summary: 'Delete an empty directory or bucket' },
    rmdirs: {
      changes: true,
      ...ONE_PATH,
      summary: 'Delete empty directories in a path, at all levels',
    },
  }),
  ...commandsOf(() => import('./delete.ts'), {
    delete: {
      changes: true,
      ...ONE_PATH,
      listed: 'steered',
      summary: 'Delete files that match the filter flags; keep directories',
    },
    deletefile: { changes: true, ...ONE_PATH, summary: 'Delete one file' },
  }),
  ...commandsOf(() => import('./purge.ts'), {
    purge: {
      changes: true,
      ...ONE_PATH,
      listed: 'only',
      summary: 'Delete a directory or bucket with all its contents',
      description: `
Refuses filter flags; use delete for them. With --max-delete, counts the files first and deletes nothing if there are
more.`,
    },
  }),
];
