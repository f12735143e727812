import type { CommandSummary } from '../../src/shell/command-line/command.ts';
import { commandsOf, usage } from '../commands-of.ts';

/** The commands for what only some backends can do. */
export const FEATURES_COMMANDS: readonly CommandSummary[] = [
  ...commandsOf(() => import('./features.ts'), {
    about: usage('remote:', 'Print the total and used space of a remote', {
      transfersNothing: true,
    }),
  }),
  ...commandsOf(() => import('./features.ts'), {
    link: usage('remote:path', 'Print a public link to a file', {
      transfersNothing: true,
      description: `
On S3 the link is a presigned URL. It is valid for a week, or less with --expire, and cannot be revoked.`,
    }),
  }),
  ...commandsOf(() => import('./features.ts'), {
    settier: usage('tier remote:path', 'Move files to another storage class', {
      transfersNothing: true,
      description: `
The tier is the provider's own name, such as STANDARD_IA or GLACIER. Filters select files in a directory.`,
    }),
  }),
];
