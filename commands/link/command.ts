import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

/** The command `link`. */
export const LINK_COMMANDS: readonly CommandSummary[] = commandsOf(() => import('./link.ts'), {
  link: usage('remote:path', 'Print a public link to a file', {
    transfersNothing: true,
    description: `
On S3 the link is a presigned URL. It is valid for a week, or less with --expire, and cannot be revoked.`,
  }),
});
