import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OtherUser } from '../../src/config/other-users.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Emit } from '../../src/core/events.ts';
import { unmountLazily, unmountUnused } from '../../src/fuse/device/mounting.ts';
import { clearStale, withoutLinks } from '../../src/fuse/mounts/check-mount-point.ts';
import {
  type MountHealth,
  mountedAt,
  probeMount,
  readMountTable,
} from '../../src/fuse/mounts/mount-table.ts';
import type { HomeMount } from '../../src/run/home-entry.ts';
import type { FlagsWith } from '../../src/shell/flags/flag-table.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { isFileOf } from '../../src/system/is-file-of.ts';
import { type ControlWord, controlFolders, type MountReport } from './control-socket.ts';
import type { MOUNT_FLAGS } from './flags.ts';

/** Time limit for a mount without a report to respond to the kernel, in milliseconds. */
const PROBE_MS = 1_000;

/** A mount in the output of `syncer mounts`: its own report, or the kernel's entry. */
export interface ListedMount extends Partial<MountReport> {
  readonly mountPoint: string;
  readonly source: string;
  /** The name of its user, if it is another one. */
  readonly user?: string;
  /** `unmounted`: it is gone, and its process still uploads. */
  readonly health: MountHealth | 'unmounted';
}

/**
 * All mounts of syncer: those that respond, and those that are only in the kernel's table.
 *
 * @param others the other users whose mounts are asked, too
 */
export async function listMounts(
  flags: Pick<FlagsWith<typeof MOUNT_FLAGS>, 'cache-dir'>,
  env: NodeJS.ProcessEnv,
  others: readonly OtherUser[] = [],
): Promise<readonly ListedMount[]> {
  const [asked, table] = await Promise.all([
    Promise.all([
      askMounts(controlFolders(flags, env)),
      ...others.map(async ({ env: theirs, uid, name }) => {
        const found = await askMounts(controlFolders({}, theirs, uid), uid);
        return found.map(({ report, ...at }) => ({ ...at, report: { ...report, user: name } }));
      }),
    ]).then((all) => all.flat()),
    readMountTable(),
  ]);
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

/** Time limit for a mount's response, in milliseconds. */
const ANSWER_MS = 2_000;

/** A mount that responded, with its socket. */
export interface AskedMount {
  readonly report: MountReport;
  readonly socketPath: string;
}

/**
 * All mounts whose sockets are in these directories. Deletes sockets of ended processes, unless they are another
 * user's.
 *
 * @param uid the other user whose directories these are
 */
export async function askMounts(
  folders: readonly string[],
  uid?: number,
): Promise<readonly AskedMount[]> {
  const found = folders.map(async (folder) => {
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name.endsWith('.sock')).map((name) => join(folder, name));
  });
  const paths = (await Promise.all(found)).flat();
  const asked = paths.map(async (socketPath): Promise<AskedMount | undefined> => {
    if (uid !== undefined && !(await isFileOf(uid, socketPath, 'socket'))) return undefined;
    try {
      return { report: await askMount(socketPath, 'report', ANSWER_MS), socketPath };
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (uid === undefined && code === 'ECONNREFUSED') await rm(socketPath, { force: true });
      return undefined;
    }
  });
  return (await Promise.all(asked)).filter((mount) => mount !== undefined);
}

/** Sends a word to a mount. Resolves to its last report, when its process closes the connection. */
export async function askMount(
  socketPath: string,
  word: ControlWord,
  limitMs = 0,
): Promise<MountReport> {
  const socket = connect(socketPath);
  socket.setTimeout(limitMs, () => socket.destroy(new Error('no answer')));
  socket.write(word);
  const reports = (await text(socket)).trim().split('\n');
  return JSON.parse(reports.at(-1) ?? '') as MountReport;
}

/**
 * Unmounts; with `--wait` after pending uploads, and returns when the process has ended. Rejects if nothing is
 * mounted, if the mount is in use, and if uploads are left. One whose process does not respond is detached all the same:
 * the programs that wait for it would keep it in use.
 */
export async function endMountAt(
  path: string,
  flags: Pick<FlagsWith<typeof MOUNT_FLAGS>, 'unmount-wait' | 'cache-dir'>,
  env: NodeJS.ProcessEnv,
  emit: Emit,
): Promise<void> {
  const mountPoint = await withoutLinks(path);
  const mounts = await askMounts(controlFolders(flags, env));
  const asked = mounts.find(({ report }) => report.mountPoint === mountPoint);
  if (asked !== undefined && flags['unmount-wait']) {
    const { state } = await askMount(asked.socketPath, 'drain-and-unmount');
    const left = state.uploadsWaiting + state.uploadsRunning + state.uploadsFailed;
    if (left === 0) return;
    const message = `${mountPoint} is unmounted, but ${left} files are not uploaded yet; the next mount resumes them`;
    throw new SyncerError('other', message, { path: mountPoint });
  }
  const place = await mountedAt(mountPoint);
  if (place === undefined || !/^fuse(\.|$)/.test(place.type)) {
    throw new SyncerError('other', `nothing is mounted on ${mountPoint}`, { path: mountPoint });
  }
  if ((await clearStale(mountPoint)) > 0) return;
  if (flags['unmount-wait'] && place.type === 'fuse.syncer') {
    // What is not uploaded yet is known to its process only.
    const message = `${mountPoint} is still mounted: its process does not respond, so its uploads cannot be waited for`;
    const advice = 'unmount without --wait, or as the user who mounted it';
    throw new SyncerError('other', message, { path: mountPoint, advice });
  }
  // One that does not respond is in use while another program probes it.
  const complaint = await unmountUnused(mountPoint, asked === undefined ? PROBE_MS * 3 : 0);
  if (complaint === undefined) return;
  const mayHang = asked === undefined && place.type === 'fuse.syncer';
  if (mayHang && (await probeMount(mountPoint)) === 'hung' && (await unmountLazily(mountPoint))) {
    const text = 'detached, although it is in use: its process does not respond';
    return emit(logText('notice', text, mountPoint));
  }
  throw new SyncerError('other', `cannot unmount ${mountPoint}: ${complaint}`, {
    path: mountPoint,
    advice: `stop the programs that use it (fuser -vm ${mountPoint}), or force it with --wait`,
  });
}

/** A mount as the home screen and `syncer ps` show it. */
export function homeMount({
  mountPoint,
  source,
  health,
  isEnding,
  state,
  since,
  user,
}: ListedMount): HomeMount {
  return {
    mountPoint,
    source,
    state: isEnding === true && health === 'live' ? 'ending' : health,
    pending: (state?.uploadsWaiting ?? 0) + (state?.uploadsRunning ?? 0),
    pendingBytes: state?.pendingBytes ?? 0,
    failed: state?.uploadsFailed ?? 0,
    cachedFiles: state?.cachedFiles ?? 0,
    cachedBytes: state?.cachedBytes ?? 0,
    ...(since === undefined ? {} : { sinceMs: since }),
    ...(user === undefined ? {} : { user }),
  };
}
