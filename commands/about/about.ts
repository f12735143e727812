import type { About } from '../../src/core/entry-details.ts';
import { SyncerError } from '../../src/core/errors.ts';
import { formatCount, formatSizeUnit } from '../../src/go/quantities.ts';
import type { CommandCall, Remotes, StandardOutput } from '../../src/shell/command-line/command.ts';
import type { ABOUT_FLAGS } from './command.ts';

export async function aboutCommand(
  invocation: CommandCall<typeof ABOUT_FLAGS> & Remotes & StandardOutput,
): Promise<void> {
  const { args, flags, context, out } = invocation;
  const { remote } = await invocation.remotes.openPath(args[0] ?? '');
  const { about } = remote.can;
  if (about === undefined) {
    throw new SyncerError('unsupported', `${remote.title} doesn't support about`, {
      advice: 'use syncer size to add up its files',
    });
  }
  const numbers = await about({ signal: context.signal });
  await out.write(flags.json ? aboutJson(numbers) : aboutText(numbers, flags.full));
}

/** What `about --json` prints, with rclone's order of the keys. */
export function aboutJson({ total, used, trashed, free, objects }: About): string {
  return `${JSON.stringify({ total, used, trashed, free, objects }, undefined, '\t')}\n`;
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
