import type { CommandSummary } from '../src/shell/command-line/command.ts';
import { commandsOf, usage } from './commands-of.ts';

/** The commands that list a remote, and those that work on one path in it. */
export const LISTING_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./list/ls-and-size.ts'), {
    ls: usage('remote:path', 'List files with their sizes', { transfersNothing: true }),
    lsl: usage('remote:path', 'List files with sizes and modification times', {
      transfersNothing: true,
    }),
    lsd: usage('remote:path', 'List directories or buckets; with -R, those of all levels', {
      transfersNothing: true,
    }),
  }),
  ...commandsOf(() => import('./list/lsf.ts'), {
    lsf: usage('remote:path', 'List files and directories in a form for scripts', {
      transfersNothing: true,
      description: `
--format chooses the columns: p path, s size, t modification time, h hash, i ID, o original ID, m MIME type,
T storage tier, M metadata. Directories end in a slash. Lists one level unless -R is given.

--time-format writes times in another way: as a Go layout ('2006-01-02', 'Jan _2 15:04:05.000'), by its name (RFC3339,
DateTime, DateOnly), as seconds (unix) or nanoseconds (unixnano) since 1970, or as precisely as the remote has
them (max).`,
    }),
  }),
  ...commandsOf(() => import('./list/lsjson.ts'), {
    lsjson: usage('remote:path', 'List files and directories as JSON, one object per line', {
      transfersNothing: true,
    }),
  }),
  ...commandsOf(() => import('./list/ls-and-size.ts'), {
    size: usage('remote:path', 'Print the number and total size of files', {
      transfersNothing: true,
    }),
  }),
  ...commandsOf(() => import('./list/tree.ts'), {
    tree: usage('remote:path', 'Print a directory tree', { transfersNothing: true }),
  }),
  ...commandsOf(() => import('./ncdu/ncdu.ts'), {
    ncdu: usage('[remote:path] [remote:path]', 'Browse disk usage; delete, copy and move files', {
      changes: true,
      noun: true,
      description: `
The browser opens immediately and fills while the path is scanned; ? shows its keys. Two paths are shown side by side;
Tab goes from one to the other, and p and P copy and move across. It asks before deleting anything;
with --dry-run or --read-only it deletes nothing. With --output, writes the scan to a file in ncdu's JSON format instead,
which --import, ncdu and gdu can open. Scans are saved: the last one of a path is shown until it is scanned again, and
--diff shows what has changed since one; with --output, as lines of text.`,
    }),
  }),
  ...commandsOf(() => import('./cat/cat.ts'), {
    cat: usage('remote:path', 'Print the contents of files', {
      transfersNothing: false,
      description: `
On a directory, prints all its files in turn. --head, --tail, or --offset with --count print a part of each file.`,
    }),
  }),
  ...commandsOf(() => import('./copyurl/streams.ts'), {
    rcat: usage('remote:path', 'Upload standard input to a file', {
      changes: true,
      listed: 'only',
      transfersNothing: false,
      description: `
Reads input of any length. Replaces an existing file only after the upload is complete.`,
    }),
  }),
  ...commandsOf(() => import('./hashsum/sums.ts'), {
    md5sum: usage('[remote:path]', 'Print the MD5 of files or of standard input', {
      transfersNothing: true,
    }),
    sha1sum: usage('[remote:path]', 'Print the SHA-1 of files or of standard input', {
      transfersNothing: true,
    }),
    hashsum: {
      usage: '[hash] [remote:path]',
      transfersNothing: true,
      summary: 'Print hashes of files; without arguments list the supported hashes',
    },
  }),
  ...commandsOf(() => import('./delete/directories.ts'), {
    mkdir: usage('remote:path', 'Create a directory or bucket if it does not exist', {
      changes: true,
      transfersNothing: true,
    }),
    rmdir: usage('remote:path', 'Delete an empty directory or bucket', {
      changes: true,
      transfersNothing: true,
    }),
    rmdirs: usage('remote:path', 'Delete empty directories in a path, at all levels', {
      changes: true,
      transfersNothing: true,
    }),
  }),
  ...commandsOf(() => import('./delete/delete.ts'), {
    delete: usage('remote:path', 'Delete files that match the filter flags; keep directories', {
      changes: true,
      transfersNothing: true,
      listed: 'steered',
    }),
    deletefile: usage('remote:path', 'Delete one file', { changes: true, transfersNothing: true }),
  }),
  ...commandsOf(() => import('./delete/purge.ts'), {
    purge: usage('remote:path', 'Delete a directory or bucket with all its contents', {
      changes: true,
      transfersNothing: true,
      listed: 'only',
      description: `
Refuses filter flags; use delete for them. With --max-delete, counts the files first and deletes nothing if there are
more.`,
    }),
  }),
];
