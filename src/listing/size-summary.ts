import { formatCount, formatSizeUnit } from '../go/byte-size.ts';

/** What `size` counts. */
export interface SizeSummary {
  readonly count: number;
  /** Sum of the known sizes. */
  readonly bytes: number;
  /** Files of unknown size. */
  readonly sizeless: number;
}

/** The lines `size` prints. */
export function sizeSummaryText({ count, bytes, sizeless }: SizeSummary): string {
  const unknown =
    sizeless > 0 ? `Total objects with unknown size: ${formatCount(sizeless)} (${sizeless})\n` : '';
  return (
    `Total objects: ${formatCount(count)} (${count})\n` +
    `Total size: ${formatSizeUnit(bytes)} (${bytes} Byte)\n${unknown}`
  );
}

/** The line `size --json` prints. */
export function sizeSummaryJson({ count, bytes, sizeless }: SizeSummary): string {
  return `${JSON.stringify({ count, bytes, sizeless })}\n`;
}
