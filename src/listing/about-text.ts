import type { About } from '../core/remote.ts';
import { formatCount, formatSizeUnit } from '../go/byte-size.ts';

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
