import type { Command, Invocation } from '../src/app/command.ts';
import { listingDepth } from '../src/app/listing/listed-entries.ts';
import { openListing } from '../src/app/listing/open-listing.ts';
import { shownDirSize } from '../src/listing/dir-size.ts';
import { lsdLine } from '../src/listing/ls-lines.ts';

/** `syncer lsd remote:path` */
export const lsdCommand: Command = { run };

async function run(invocation: Invocation): Promise<void> {
  const { flags, out } = invocation;
  const listing = await openListing(invocation);
  const human = flags['human-readable'];
  // With -R rclone does not look at --max-depth here, other than in its other listings.
  const maxDepth = flags.recursive ? -1 : listingDepth(flags);
  for await (const dirs of listing.entries('dirs', { maxDepth })) {
    let text = '';
    for (const dir of dirs) {
      const size = shownDirSize(dir, listing.remote, false);
      const entries = dir.kind === 'dir' ? dir.entries : undefined;
      text += lsdLine(size, dir.modTime ?? listing.now, dir.path, human, entries);
    }
    await out.write(text);
  }
  listing.finish();
}
