import { formatSize } from '../go/byte-size.ts';
import { formatDuration } from '../go/duration.ts';
import type { ListedMount } from './list-mounts.ts';

const HEADINGS = ['MOUNT POINT', 'SOURCE', 'STATE', 'UPLOADS', 'CACHE', 'MODE', 'PID', 'SINCE'];

/** The table of `syncer mounts`, or one line if nothing is mounted. */
export function mountLines(mounts: readonly ListedMount[], nowMs: number): readonly string[] {
  if (mounts.length === 0) return ['Nothing is mounted.'];
  const rows = [HEADINGS, ...mounts.map((mount) => cells(mount, nowMs))];
  const widths = HEADINGS.map((_, i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function cells(mount: ListedMount, nowMs: number): string[] {
  const { mountPoint, source, health, isEnding, state, cacheMode, pid, since } = mount;
  return [
    mountPoint,
    source,
    isEnding === true && health === 'live' ? 'ending' : health,
    state === undefined ? '-' : uploads(state),
    state === undefined ? '-' : `${state.cachedFiles} files, ${formatSize(state.cachedBytes)}`,
    cacheMode ?? '-',
    pid === undefined ? '-' : String(pid),
    since === undefined ? '-' : formatDuration(Math.floor((nowMs - since) / 1000) * 1000),
  ];
}

function uploads(state: NonNullable<ListedMount['state']>): string {
  const { uploadsWaiting, uploadsRunning, uploadsFailed, pendingBytes } = state;
  const count = uploadsWaiting + uploadsRunning;
  if (count + uploadsFailed === 0) return 'none';
  const failed = uploadsFailed === 0 ? '' : `, ${uploadsFailed} failed`;
  return `${count} pending (${formatSize(pendingBytes)})${failed}`;
}
