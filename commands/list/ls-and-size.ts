import type { ModTime } from '../../src/core/mod-time.ts';
import { formatCount, formatSize, formatSizeUnit } from '../../src/go/quantities.ts';
import { wantedTimes } from '../../src/listing/detail-reader.ts';
import { formatDateTime, formatDateTimeNs } from '../../src/listing/time-format.ts';
import { listingDepth, writeLines } from '../../src/run/listing/listed-entries.ts';
import { openListing, shownDirSize } from '../../src/run/listing/open-listing.ts';
import type { CommandCall, Remotes, StandardOutput } from '../../src/shell/command-line/command.ts';
import type { LIST_FLAGS } from './command.ts';

type ListNeeds = CommandCall<typeof LIST_FLAGS> & Remotes & StandardOutput;

export async function lsCommand(invocation: ListNeeds): Promise<void> {
  const listing = await openListing(invocation);
  const human = invocation.flags['human-readable'];
  const files = listing.files({ sizesOnly: true });
  await writeLines(invocation.out, files, ({ size, path }) => lsLine(size, path, human));
  listing.finish();
}

export async function lslCommand(invocation: ListNeeds): Promise<void> {
  const listing = await openListing(invocation);
  const human = invocation.flags['human-readable'];
  const files = listing.detailed(listing.files(), wantedTimes);
  await writeLines(invocation.out, files, ({ size, modTime = listing.now, path }) =>
    lslLine(size, modTime, path, human),
  );
  listing.finish();
}

export async function lsdCommand(invocation: ListNeeds): Promise<void> {
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
}

export async function sizeCommand(invocation: ListNeeds): Promise<void> {
  const { flags, out } = invocation;
  if (flags['size-all']) {
    const { sumKept, keptSizesText } = await import('./sum-kept.ts');
    const sizes = await sumKept(invocation);
    return out.write(flags.json ? `${JSON.stringify(sizes)}\n` : keptSizesText(sizes));
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
  const sums = { count, bytes, sizeless };
  await out.write(flags.json ? `${JSON.stringify(sums)}\n` : sizeSummaryText(sums));
  listing.finish();
}

/** A size in bytes (-1: unknown) right-aligned in `width`; with `human` as `1.500Mi` in nine columns. */
function sizeField(size: number, width: number, human: boolean): string {
  if (!human) return String(size).padStart(width);
  return (size < 0 ? String(size) : formatSize(size)).padStart(9);
}

/** A line of `ls`: size and path. */
export function lsLine(size: number, path: string, human: boolean): string {
  return `${sizeField(size, 9, human)} ${path}\n`;
}

/** A line of `lsl`: size, modification time and path. */
export function lslLine(size: number, modTime: ModTime, path: string, human: boolean): string {
  return `${sizeField(size, 9, human)} ${formatDateTimeNs(modTime)} ${path}\n`;
}

/** A line of `lsd`: size and time of a directory, the number of its entries (unknown: -1), its path. */
export function lsdLine(
  size: number,
  modTime: ModTime,
  path: string,
  human: boolean,
  entries = -1,
): string {
  const count = String(entries).padStart(human ? 8 : 9);
  return `${sizeField(size, 12, human)} ${formatDateTime(modTime)} ${count} ${path}\n`;
}

/** The lines `size` prints. */
export function sizeSummaryText(sums: { count: number; bytes: number; sizeless: number }): string {
  const { count, bytes, sizeless } = sums;
  const unknown = sizeless > 0 ? `Total objects with unknown size: ${counted(sizeless)}\n` : '';
  return (
    `Total objects: ${counted(count)}\n` +
    `Total size: ${formatSizeUnit(bytes)} (${bytes} Byte)\n${unknown}`
  );
}

/** A count as rclone writes it since 1.65: `3`, `1.300k (1300)`. */
function counted(count: number): string {
  return count < 1000 ? String(count) : `${formatCount(count)} (${count})`;
}
