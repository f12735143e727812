import { cacheDir } from '../../config/config-path.ts';
import { readMountTable } from '../../fuse/mounts/mount-table.ts';
import { type MountHealth, probeMount } from '../../fuse/mounts/probe-mount.ts';
import type { Flags } from '../flags/flag-table.ts';
import { type AskedMount, askMounts } from './ask-mounts.ts';
import type { MountReport } from './mount-report.ts';
import { runtimeFolders } from './runtime-folder.ts';

/** How long a mount that told nothing of itself has to answer the kernel, in milliseconds. */
const PROBE_MS = 1_000;

/** A mount as `syncer mounts` tells it: what it says of itself, or what the kernel knows. */
export interface ListedMount extends Partial<MountReport> {
  readonly mountPoint: string;
  readonly source: string;
  /** `unmounted`: it is gone, and its process still uploads. */
  readonly health: MountHealth | 'unmounted';
}

/** All mounts of syncer: those that answer, and those that are in the kernel's table alone. */
export async function listMounts(
  flags: Pick<Flags, 'cache-dir'>,
  env: NodeJS.ProcessEnv,
): Promise<readonly ListedMount[]> {
  const [asked, table] = await Promise.all([askAll(flags, env), readMountTable()]);
  const inTable = new Set(table.map(({ mountPoint }) => mountPoint));
  const told = asked.map(({ report }): ListedMount => {
    const health = inTable.has(report.mountPoint) ? 'live' : 'unmounted';
    return { ...report, health };
  });
  const known = new Set(told.map(({ mountPoint }) => mountPoint));
  const silent = table.filter(({ type, mountPoint }) => {
    return type === 'fuse.syncer' && !known.has(mountPoint);
  });
  const probed = silent.map(async ({ mountPoint, source }): Promise<ListedMount> => {
    return { mountPoint, source, health: await probeMount(mountPoint, PROBE_MS) };
  });
  return [...told, ...(await Promise.all(probed))];
}

/** All mounts of this user that answer. */
export async function askAll(
  flags: Pick<Flags, 'cache-dir'>,
  env: NodeJS.ProcessEnv,
): Promise<readonly AskedMount[]> {
  const caches = cacheDir(env, flags['cache-dir']);
  return askMounts(runtimeFolders(process.geteuid?.() ?? 0, env, caches));
}
