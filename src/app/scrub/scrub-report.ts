import { counted } from '../../kit/counted.ts';
import { shortSize } from '../../progress/short-size.ts';
import type { RightSide } from './right-side.ts';
import type { ScrubTotals } from './run-scrub.ts';
import type { Scrubbed } from './scrub-files.ts';
import type { FileCount, ScrubStatus } from './scrub-status.ts';

const json = (value: object) => `${JSON.stringify(value)}\n`;

/** A line of `--json` for a file. */
export function fileJson({ file, result, reason }: Scrubbed, side: RightSide | undefined): string {
  const { path, size } = file;
  return json({ path, size, result, reason, otherSide: side?.found, command: side?.command });
}

/** The last line of `--json`. */
export function totalsJson({ counts, bytes, left }: ScrubTotals): string {
  return json({ summary: { ...counts, bytes, left } });
}

/** The last line of a scrub. */
export function totalsText({ counts, bytes, left }: ScrubTotals, reads: boolean): string {
  const { ok, new: fresh, changed, suspect, accepted, unreadable } = counts;
  const files = ok + fresh + changed + suspect + accepted + unreadable;
  const size = reads ? `, ${shortSize(bytes)}` : '';
  const results = [
    `${ok} ok`,
    `${fresh} new`,
    `${changed} changed`,
    ...(accepted > 0 ? [`${accepted} accepted`] : []),
    `${suspect} suspect`,
    `${unreadable} unreadable`,
  ];
  const rest = left > 0 ? `; ${counted(left, 'file')} left for the next run` : '';
  return `${counted(files, 'file')}${size}: ${results.join(', ')}${rest}\n`;
}

/** `--status --json`. */
export function statusJson({ oldestMs, suspects, ...counts }: ScrubStatus): string {
  const oldest = oldestMs === undefined ? undefined : new Date(oldestMs).toISOString();
  const found = suspects.map(({ foundMs, checkedMs, ...suspect }) => ({
    ...suspect,
    found: new Date(foundMs).toISOString(),
    checked: new Date(checkedMs).toISOString(),
  }));
  return json({ ...counts, oldest, suspects: found });
}

/** The text of `--status`. */
export function statusText(status: ScrubStatus, hasPeriod: boolean): string {
  const { verified, due, changed, never, oldestMs, suspects } = status;
  const row = (title: string, { files, bytes }: FileCount) =>
    `${`${title}:`.padEnd(11)}${counted(files, 'file')}, ${shortSize(bytes)}\n`;
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return [
    row('verified', verified),
    hasPeriod ? row('due', due) : '',
    row('changed', changed),
    row('never', never),
    oldestMs === undefined ? '' : `oldest:    ${day(oldestMs)}\n`,
    ...suspects.map(
      ({ path, result, reason, foundMs }) => `${result}: ${path}: ${reason} (${day(foundMs)})\n`,
    ),
  ].join('');
}
