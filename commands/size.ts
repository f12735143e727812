import type { Invocation } from '../src/app/command.ts';
import { openListing } from '../src/app/listing/open-listing.ts';
import { sizeSummaryJson, sizeSummaryText } from '../src/listing/size-texts.ts';

/** `syncer size remote:path` */
export async function sizeCommand(invocation: Invocation): Promise<void> {
  const listing = await openListing(invocation);
  let count = 0;
  let bytes = 0;
  let sizeless = 0;
  for await (const files of listing.files({ anyOrder: true })) {
    count += files.length;
    for (const { size } of files) {
      if (size < 0) sizeless++;
      else bytes += size;
    }
  }
  const write = invocation.flags.json ? sizeSummaryJson : sizeSummaryText;
  await invocation.out.write(write({ count, bytes, sizeless }));
  listing.finish();
}
