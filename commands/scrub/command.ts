import { bool, commandFlags, duration, text } from '../../src/core/flags.ts';
import { commandsOf, usage } from '../../src/shell/command-line/commands-of.ts';

export const SCRUB_FLAGS = commandFlags(['scrub'], {
  budget: text(
    'Read this much (100G) or for this long (2h), and the rest in the next runs',
    'size|time',
  ),
  every: duration('Skip files verified within this time (90d)', { default: 0 }),
  with: text(
    'Compare suspects with this copy, and name the command that resolves each',
    'remote:path',
  ),
  'scrub-download': bool('Read files of servers, too', { name: 'download' }),
  accept: bool('Accept the current content of suspect files'),
  status: bool('Report what is verified and what is due, and read nothing'),
  'scrub-json': bool('Print a JSON object per file', { name: 'json' }),
});

export const SCRUB_COMMANDS = commandsOf(() => import('./scrub.ts'), SCRUB_FLAGS, {
  scrub: usage('remote:path', 'Re-read files and report silent corruption', {
    exclusions: [
      ['syncer scrub', 'no-hash-cache', 'it compares with the hashes of the cache'],
      ['status', ['budget', 'with', 'accept'], 'it reads no files'],
      ['accept', 'with', 'it compares nothing'],
    ],
    showsStats: true,
    transfersNothing: true,
    description: `
Compares the content of each file with the hash that an earlier run recorded: any run that computed hashes, or the last
scrub. Files that were not verified for the longest time come first. A file is suspect if its content has changed but
its size and modification time have not. Suspects are kept in a list until they are settled; sync --checksum does not
copy them over another version. Changes nothing.

On S3 and cloud drives only ETags and hashes of the listing are compared unless --download is given.`,
    exits: { 1: 'There are suspects, or unreadable files' },
    examples: `
syncer scrub /data --budget 100G --every 90d  # Each night, verify the 100 GiB that wait longest
syncer scrub /data --with backup:data  # Find out which side of a suspect file is right`,
    see: ['check', 'hashsum'],
  }),
});
