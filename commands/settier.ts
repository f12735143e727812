import type { Command, Invocation } from '../src/app/command.ts';
import { openListing } from '../src/app/listing/open-listing.ts';
import { runAttempts } from '../src/app/transfer/run-attempts.ts';
import { setTierOfFiles } from '../src/sync/set-tier.ts';

/** `syncer settier tier remote:path` */
export const settierCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const [tier = '', spec = ''] = invocation.args;
  const opened = await openListing(invocation, spec);
  await runAttempts(invocation, async (attempt) => {
    const listing = opened.within(attempt);
    const how = { tier, width: listing.atOnce };
    await setTierOfFiles(attempt, listing.remote, listing.files(), how);
  });
}
