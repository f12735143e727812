import { wantedTimes } from '../../src/listing/detail-reader.ts';
import { lsdLine, lsLine, lslLine, shownDirSize } from '../../src/listing/ls-lines.ts';
import { sizeSummaryJson, sizeSummaryText } from '../../src/listing/size-texts.ts';
import { listingDepth, writeLines } from '../../src/run/listing/listed-entries.ts';
import { openListing } from '../../src/run/listing/open-listing.ts';
import type { Command } from '../../src/shell/command-line/command.ts';
import type { LIST_FLAGS } from './command.ts';

/** `syncer ls remote:path` */
export const lsCommand: Command<typeof LIST_FLAGS> = async (invocation) => {
  const listing = await openListing(invocation);
  const human = invocation.flags['human-readable'];
  const files = listing.files({ sizesOnly: true });
  await writeLines(invocation.out, files, ({ size, path }) => lsLine(size, path, human));
  listing.finish();
};

/** `syncer lsl remote:path` */
export const lslCommand: Command<typeof LIST_FLAGS> = async (invocation) => {
  const listing = await openListing(invocation);
  const human = invocation.flags['human-readable'];
  const files = listing.detailed(listing.files(), wantedTimes);
  await writeLines(invocation.out, files, ({ size, modTime = listing.now, path }) =>
    lslLine(size, modTime, path, human),
  );
  listing.finish();
};

/** `syncer lsd remote:path` */
export const lsdCommand: Command<typeof LIST_FLAGS> = async (invocation) => {
  const { flags, out } = invocation;
  const listing = await openListing(invocation);
  const human = flags['human-readable'];
  // With -R, rclone ignores --max-depth here, unlike in its other listings.
  const maxDepth = flags.recursive ? -1 : listingDepth(flags);
  await writeLines(out, listing.entries('dirs', { maxDepth }), (dir) => {
    const { size = shownDirSize(dir, listing.remote, false) } = dir;
    const entries = dir.kind === 'dir' ? dir.entries : undefined;
    return lsdLine(size, dir.modTime ?? listing.now, dir.path, human, entries);
  });
  listing.finish();
};

/** `syncer size remote:path` */
export const sizeCommand: Command<typeof LIST_FLAGS> = async (invocation) => {
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
};
