import { harmless } from '../../core/harmless.ts';
import { formatSizeUnit } from '../../go/byte-size.ts';
import type { HomeMount } from '../../home/home-entry.ts';
import { runningLine } from '../../home/home-list.ts';
import { type RunningSummary, shortRunId } from '../../home/running-run.ts';
import { runningSum, runningText } from '../../home/running-text.ts';
import { counted } from '../../kit/counted.ts';
import { ago } from '../../screen/time-texts.ts';

const HEADINGS = ['RUN', 'STATE', 'STARTED', 'DONE', 'COMMAND'];

/** The table of `syncer ps`: runs, then mounts; one line saying so if nothing is running. */
export function psLines(
  runs: readonly RunningSummary[],
  mounts: readonly HomeMount[],
  nowMs: number,
): readonly string[] {
  if (runs.length + mounts.length === 0) return ['Nothing is running.'];
  const rows = [
    HEADINGS,
    ...runs.map((run) => [
      shortRunId(run.id),
      runningText(run),
      ago(nowMs - run.startedMs),
      runningSum(run) || '-',
      runningLine(run),
    ]),
    ...mounts.map((mount) => [
      '-',
      harmless(mount.state),
      mount.sinceMs === undefined ? '-' : ago(nowMs - mount.sinceMs),
      uploadsText(mount),
      harmless(`mount ${mount.source} ${mount.mountPoint}`),
    ]),
  ];
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === HEADINGS.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  '),
  );
}

function uploadsText({ pending, pendingBytes }: HomeMount): string {
  if (pending === 0) return '-';
  return `${counted(pending, 'upload')} pending, ${formatSizeUnit(pendingBytes)}`;
}
