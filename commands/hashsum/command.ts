import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The commands for hashes. */
export const HASHSUM_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./sums.ts'), {
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
  checksum: usage('hash sumfile remote:path', 'Check the files in a path against a SUM file', {
    transfersNothing: true,
    description: `
Reads a SUM file as written by md5sum or hashsum; - is standard input. A file without a sum counts as missing at the
source, a sum without a file as missing at the destination; --one-way ignores the former. Exits with code 1 if anything
differs.`,
  }),
});
