import { harmless } from '../../core/harmless.ts';
import { formatSizeUnit } from '../../go/byte-size.ts';
import type { HomeMount } from '../../home/home-entry.ts';
import { runningLine } from '../../home/home-list.ts';
import { type RunningSummary, shortRunId } from '../../home/running-run.ts';
import { runningSum, runningText } from '../../home/running-text.ts';
import { alignedRows } from '../../kit/aligned-rows.ts';
import { counted } from '../../kit/counted.ts';
import { ago } from '../../screen/time-texts.ts';

const HEADINGS = ['RUN', 'USER', 'STATE', 'STARTED', 'DONE', 'COMMAND'];

/**
 * The table of `syncer ps`: runs, then mounts; one line saying so if nothing is running. Users if one is named. Broken
 * where it is wider than `columns`.
 */
export function psLines(
  runs: readonly RunningSummary[],
  mounts: readonly HomeMount[],
  nowMs: number,
  columns?: number,
): readonly string[] {
  if (runs.length + mounts.length === 0) return ['Nothing is running.'];
  const hasUsers = [...runs, ...mounts].some(({ user }) => user !== undefined);
  const all = [
    HEADINGS,
    ...runs.map((run) => [
      shortRunId(run.id),
      harmless(run.user ?? '-'),
      runningText(run),
      ago(nowMs - run.startedMs),
      runningSum(run) || '-',
      runningLine(run),
    ]),
    ...mounts.map((mount) => [
      '-',
      harmless(mount.user ?? '-'),
      harmless(mount.state),
      mount.sinceMs === undefined ? '-' : ago(nowMs - mount.sinceMs),
      uploadsText(mount),
      harmless(`mount ${mount.source} ${mount.mountPoint}`),
    ]),
  ];
  return alignedRows(hasUsers ? all : all.map((row) => row.toSpliced(1, 1)), columns);
}

function uploadsText({ pending, pendingBytes }: HomeMount): string {
  if (pending === 0) return '-';
  return `${counted(pending, 'upload')} pending, ${formatSizeUnit(pendingBytes)}`;
}
