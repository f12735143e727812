import { bool, commandFlags, duration } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const LINK_FLAGS = commandFlags(['link'], {
  expire: duration('How long the link is valid', { defaultText: 'the maximum of the backend' }),
  unlink: bool('Revoke the link'),
});

export const LINK_COMMANDS = commandsOf(() => import('./link.ts'), LINK_FLAGS, {
  link: usage('remote:path', 'Print a public link to a file', {
    transfersNothing: true,
    description: `
On S3 the link is a presigned URL. It is valid for a week, or less with --expire, and cannot be revoked.`,
    examples: `
syncer link shelf:documents/report.pdf  # Print a link
syncer link shelf:documents/report.pdf --expire 1d  # Print a link valid for a day`,
  }),
});
