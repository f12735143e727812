import { wantedTimes } from '../../src/listing/detail-reader.ts';
import { lsdLine, lsLine, lslLine, shownDirSize } from '../../src/listing/ls-lines.ts';
import { sizeSummaryJson, sizeSummaryText } from '../../src/listing/size-texts.ts';
import { listingDepth } from '../../src/run/listing/listed-entries.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import type { LIST_FLAGS } from './command.ts';

/** `syncer ls remote:path` */
export async function lsCommand(invocation: Invocation<typeof LIST_FLAGS>): Promise<void> {
  const listing = await openListing(invocation);
  const human = invocation.flags['human-readable'];
  for await (const files of listing.files({ sizesOnly: true })) {
    let text = '';
    for (const { size, path } of files) text += lsLine(size, path, human);
    await invocation.out.write(text);
  }
  listing.finish();
}

/** `syncer lsl remote:path` */
export async function lslCommand(invocation: Invocation<typeof LIST_FLAGS>): Promise<void> {
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

/** `syncer lsd remote:path` */
export async function lsdCommand(invocation: Invocation<typeof LIST_FLAGS>): Promise<void> {
  const { flags, out } = invocation;
  const listing = await openListing(invocation);
  const human = flags['human-readable'];
  // With -R, rclone ignores --max-depth here, unlike in its other listings.
  const maxDepth = flags.recursive ? -1 : listingDepth(flags);
  for await (const dirs of listing.entries('dirs', { maxDepth })) {
    let text = '';
    for (const dir of dirs) {
      const { size = shownDirSize(dir, listing.remote, false) } = dir;
      const entries = dir.kind === 'dir' ? dir.entries : undefined;
      text += lsdLine(size, dir.modTime ?? listing.now, dir.path, human, entries);
    }
    await out.write(text);
  }
  listing.finish();
}

/** `syncer size remote:path` */
export async function sizeCommand(invocation: Invocation<typeof LIST_FLAGS>): Promise<void> {
  const { flags, out } = invocation;
  if (flags['size-all']) {
    const [{ sumKept }, { keptSizesJson, keptSizesText }] = await Promise.all([
      import('./sum-kept.ts'),
      import('../../src/listing/kept-sizes.ts'),
    ]);
    const sizes = await sumKept(invocation);
    return out.write(flags.json ? keptSizesJson(sizes) : keptSizesText(sizes));
  }
  const listing = await openListing(invocation);
  let count = 0;
  let bytes = 0;
  let sizeless = 0;
  for await (const files of listing.files({ anyOrder: true, sizesOnly: true })) {
    count += files.length;
    for (const { size } of files) {
      if (size < 0) sizeless++;
      else bytes += size;
    }
  }
  const write = flags.json ? sizeSummaryJson : sizeSummaryText;
  await out.write(write({ count, bytes, sizeless }));
  listing.finish();
}
