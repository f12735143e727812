import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `scrub`. */
export const SCRUB_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./scrub.ts'), {
  scrub: usage('remote:path', 'Read files again and find those that changed without a trace', {
    showsStats: true,
    transfersNothing: true,
    description: `
Compares the content of each file with the hash that an earlier run recorded: any run that computed hashes, or the last
scrub. Files that were not verified for the longest time come first. A file is suspect if its content has changed but
its size and modification time have not. Suspects are kept in a list until they are settled; sync --checksum does not
copy them over another version. Changes nothing. Exits with code 1 if there are suspects or unreadable files.

On S3 and cloud drives only ETags and hashes of the listing are compared unless --download is given.`,
  }),
});
