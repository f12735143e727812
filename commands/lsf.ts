import type { Invocation } from '../src/app/command.ts';
import { listedEntries } from '../src/app/listing/listed-entries.ts';
import { openListing } from '../src/app/listing/open-listing.ts';
import { systemMimeTypes } from '../src/kit/mime-types.ts';
import { csvSeparator } from '../src/listing/csv-line.ts';
import { parseHashName } from '../src/listing/hash-name.ts';
import { shownDirSize } from '../src/listing/ls-lines.ts';
import { type LsfRules, lsfLine, parseLsfFormat } from '../src/listing/lsf-format.ts';
import { timeFormat } from '../src/listing/time-format.ts';

/** `syncer lsf remote:path` */
export async function lsfCommand(invocation: Invocation): Promise<void> {
  const { flags, out } = invocation;
  const columns = parseLsfFormat(flags.format);
  const hash = parseHashName(flags['lsf-hash']);
  const { csv, separator = csv ? ',' : ';' } = flags;
  const listing = await openListing(invocation);
  const { pages, isFlat } = listedEntries(listing, flags);
  const rules: Omit<LsfRules, 'dirSize'> = {
    columns,
    separator: csv ? csvSeparator(separator) : separator,
    csv,
    dirSlash: flags['dir-slash'],
    absolute: flags.absolute,
    hash,
    mimeTypes: systemMimeTypes(),
    now: listing.now,
    formatTime: timeFormat(flags['time-format'], listing.remote.traits.modTimePrecision),
  };
  const wanted = {
    modTime: columns.includes('time'),
    mimeType: columns.includes('mimeType'),
    metadata: columns.includes('metadata'),
    hashes: columns.includes('hash') ? [hash] : [],
  };
  for await (const entries of listing.detailed(pages, wanted)) {
    let text = '';
    for (const entry of entries) {
      const dirSize = shownDirSize(entry, listing.remote, isFlat);
      text += lsfLine(entry, { ...rules, dirSize });
    }
    await out.write(text);
  }
  listing.finish();
}
