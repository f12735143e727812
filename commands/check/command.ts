import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf } from '../../src/shell/command-line/commands-of.ts';

/** The command `check`. */
export const CHECK_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./check.ts'), {
  check: {
    usage: 'source:path dest:path',
    showsStats: true,
    listed: 'steered',
    transfersNothing: true,
    summary: 'Check that the files in source and dest are identical',
    description: `
Compares sizes and modification times; with --checksum sizes and hashes, with --download contents, with
--size-only sizes. Changes nothing. Exits with code 1 if anything differs.`,
  },
});
