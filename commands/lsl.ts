import type { Command, Invocation } from '../src/app/command.ts';
import { openListing } from '../src/app/listing/open-listing.ts';
import { wantedTimes } from '../src/listing/file-details.ts';
import { lslLine } from '../src/listing/ls-lines.ts';

/** `syncer lsl remote:path` */
export const lslCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const listing = await openListing(invocation);
  const human = invocation.flags['human-readable'];
  for await (const files of listing.detailed(listing.files(), wantedTimes)) {
    let text = '';
    for (const { size, modTime = listing.now, path } of files) {
      text += lslLine(size, modTime, path, human);
    }
    await invocation.out.write(text);
  }
  listing.finish();
}
