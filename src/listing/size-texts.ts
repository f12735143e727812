import type { About } from '../core/entry-details.ts';
import { formatCount, formatSizeUnit } from '../go/byte-size.ts';

/** What `size` counts. */
interface SizeSummary {
  readonly count: number;
  /** Sum of the known sizes. */
  readonly bytes: number;
  /** Files of unknown size. */
  readonly sizeless: number;
}

/** The lines `size` prints. */
export function sizeSummaryText({ count, bytes, sizeless }: SizeSummary): string {
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

/** The line `size --json` prints. */
export function sizeSummaryJson({ count, bytes, sizeless }: SizeSummary): string {
  return `${JSON.stringify({ count, bytes, sizeless })}\n`;
}

/** The lines that `about` prints: one for each number that the remote reports; `full` prints them in full. */
export function aboutText(about: About, full: boolean): string {
  const lines: [string, number | undefined, (value: number) => string][] = [
    ['Total:', about.total, formatSizeUnit],
    ['Used:', about.used, formatSizeUnit],
    ['Free:', about.free, formatSizeUnit],
    ['Trashed:', about.trashed, formatSizeUnit],
    ['Objects:', about.objects, formatCount],
  ];
  return lines
    .map(([name, value, format]) =>
      value === undefined ? '' : `${name.padEnd(9)}${full ? value : format(value)}\n`,
    )
    .join('');
}

/** What `about --json` prints, with rclone's order of the keys. */
export function aboutJson({ total, used, trashed, free, objects }: About): string {
  return `${JSON.stringify({ total, used, trashed, free, objects }, undefined, '\t')}\n`;
}
