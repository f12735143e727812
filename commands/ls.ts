import type { Command, Invocation } from '../src/app/command.ts';
import { openListing } from '../src/app/listing/open-listing.ts';
import { lsLine } from '../src/listing/ls-lines.ts';

/** `syncer ls remote:path` */
export const lsCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const listing = await openListing(invocation);
  const human = invocation.flags['human-readable'];
  for await (const files of listing.files()) {
    let text = '';
    for (const { size, path } of files) text += lsLine(size, path, human);
    await invocation.out.write(text);
  }
  listing.finish();
}
