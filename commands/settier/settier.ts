import { setTierOfFiles } from '../../src/engine/each-file.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import { runAttempts } from '../../src/run/transfer/run-attempts.ts';
import type { Changing, CommandCall, Remotes } from '../../src/shell/command-line/command.ts';

export async function settierCommand(invocation: CommandCall & Remotes & Changing): Promise<void> {
  const [tier = '', spec = ''] = invocation.args;
  const opened = await openListing(invocation, spec);
  await runAttempts(invocation, async (attempt) => {
    const listing = opened.within(attempt);
    const how = { tier, width: listing.atOnce };
    await setTierOfFiles(attempt, listing.remote, listing.files(), how);
  });
}
