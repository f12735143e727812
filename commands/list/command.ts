import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The commands for listings. */
export const LIST_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./ls-and-size.ts'), {
    ls: usage('remote:path', 'List files with their sizes', { transfersNothing: true }),
    lsl: usage('remote:path', 'List files with sizes and modification times', {
      transfersNothing: true,
    }),
    lsd: usage('remote:path', 'List directories or buckets; with -R, those of all levels', {
      transfersNothing: true,
    }),
  }),
  ...commandsOf(() => import('./lsf.ts'), {
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
  ...commandsOf(() => import('./lsjson.ts'), {
    lsjson: usage('remote:path', 'List files and directories as JSON, one object per line', {
      transfersNothing: true,
    }),
  }),
  ...commandsOf(() => import('./ls-and-size.ts'), {
    size: usage('remote:path', 'Print the number and total size of files', {
      transfersNothing: true,
    }),
  }),
  ...commandsOf(() => import('./tree.ts'), {
    tree: usage('remote:path', 'Print a directory tree', { transfersNothing: true }),
  }),
];
