import { alignedRows, counted } from '../../src/core/shown-text.ts';
import { formatDuration, formatSizeUnit } from '../../src/go/quantities.ts';
import type {
  CommandCall,
  Environment,
  StandardOutput,
} from '../../src/shell/command-line/command.ts';
import { windowColumns } from '../../src/shell/output/output.ts';
import type { MOUNT_FLAGS } from './flags.ts';
import { endMountAt, type ListedMount, listMounts } from './list-mounts.ts';
import type { MountNeeds } from './run-mount.ts';

export async function mountCommand(invocation: MountNeeds): Promise<void> {
  const { runMount } = await import('./run-mount.ts');
  await runMount(invocation);
}

export async function mountsCommand(
  invocation: CommandCall<typeof MOUNT_FLAGS> & Environment & StandardOutput,
): Promise<void> {
  const { flags, env, out, context } = invocation;
  const mounts = await listMounts(flags, env);
  if (flags['mounts-json']) return out.write(`${JSON.stringify(mounts, null, 2)}\n`);
  const lines = mountLines(mounts, context.clock.now(), windowColumns(out));
  for (const line of lines) await out.write(`${line}\n`);
}

export function unmountCommand(
  invocation: CommandCall<typeof MOUNT_FLAGS> & Environment,
): Promise<void> {
  const { args, flags, env, context } = invocation;
  return endMountAt(args[0] ?? '', flags, env, context.emit);
}

const HEADINGS = ['MOUNT POINT', 'SOURCE', 'STATE', 'UPLOADS', 'CACHE', 'MODE', 'PID', 'SINCE'];

/**
 * The table of `syncer mounts`, or a list of values for each mount if the table is wider than `columns`; one line saying
 * so if nothing is mounted.
 */
export function mountLines(
  mounts: readonly ListedMount[],
  nowMs: number,
  columns = Number.POSITIVE_INFINITY,
): readonly string[] {
  if (mounts.length === 0) return ['Nothing is mounted.'];
  const rows = [HEADINGS, ...mounts.map((mount) => cells(mount, nowMs))];
  const lines = alignedRows(rows).map((line) => line.trimEnd());
  if (lines.every((line) => line.length <= columns)) return lines;
  const width = Math.max(...HEADINGS.map(({ length }) => length));
  return rows
    .slice(1)
    .flatMap((row, at) => [
      ...(at === 0 ? [] : ['']),
      ...row.map((cell, i) => `${(HEADINGS[i] ?? '').padEnd(width)}  ${cell}`),
    ]);
}

function cells(mount: ListedMount, nowMs: number): string[] {
  const { mountPoint, source, health, isEnding, state, cacheMode, pid, since } = mount;
  return [
    mountPoint,
    source,
    isEnding === true && health === 'live' ? 'ending' : health,
    state === undefined ? '-' : uploads(state),
    state === undefined
      ? '-'
      : `${counted(state.cachedFiles, 'file')}, ${formatSizeUnit(state.cachedBytes)}`,
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
  return `${count} pending (${formatSizeUnit(pendingBytes)})${failed}`;
}
