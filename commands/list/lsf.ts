import { type LsfRules, lsfLine } from '../../src/listing/lsf-format.ts';
import { timeFormat } from '../../src/listing/time-format.ts';
import {
  listedEntries,
  lsfDetails,
  lsfOptions,
  writeLines,
} from '../../src/run/listing/listed-entries.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import type { CommandCall, Remotes, StandardOutput } from '../../src/shell/command-line/command.ts';
import type { LIST_FLAGS } from './command.ts';

export async function lsfCommand(
  invocation: CommandCall<typeof LIST_FLAGS> & Remotes & StandardOutput,
): Promise<void> {
  const { flags, out } = invocation;
  const options = lsfOptions(flags);
  const listing = await openListing(invocation);
  const sizesOnly = options.columns.every((column) => column === 'path' || column === 'size');
  const { pages } = listedEntries(listing, flags, sizesOnly);
  const rules: LsfRules = {
    ...options,
    // Unlike lsjson, rclone shows no size of prefixes.
    dirSize: -1,
    now: listing.now,
    tier: listing.remote.can.setTier !== undefined,
    formatTime: timeFormat(flags['time-format'], listing.remote.traits.modTimePrecision),
  };
  const entries = listing.detailed(pages, lsfDetails(options));
  await writeLines(out, entries, (entry) => lsfLine(entry, rules));
  listing.finish();
}
