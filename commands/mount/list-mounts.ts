import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDir } from '../../src/config/config-path.ts';
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
import type { Flags, FlagsWith } from '../../src/shell/flags/flag-table.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { isFileOf } from '../../src/system/is-file-of.ts';
import { listenInFolder } from '../../src/system/listen-in-folder.ts';
import type { ContentsState } from '../../src/vfs/contents/file-contents.ts';
import type { MOUNT_FLAGS } from './flags.ts';

/**
 * Listens in the first of these directories that can be used. A client writes one word and gets a line of JSON; the
 * word that ends the mount gets another line at the end.
 */
export async function openControlSocket(
  folders: readonly string[],
  answers: { report(): MountReport; end(how: 'unmount' | 'drain-and-unmount'): void },
): Promise<{ close(): Promise<void> }> {
  const name = `${process.pid}-${randomBytes(3).toString('hex')}.sock`;
  const listening = await listenInFolder(folders, name, (socket) => {
    socket.setEncoding('utf8').once('data', (word) => {
      const asked = String(word).trim() as ControlWord;
      socket.write(`${JSON.stringify(answers.report())}\n`);
      if (asked === 'unmount' || asked === 'drain-and-unmount') answers.end(asked);
      else socket.end();
    });
  }).catch((thrown: Error) => {
    const message = `cannot listen in any of ${folders.join(', ')}: ${thrown.message}`;
    throw new SyncerError('other', message);
  });
  return {
    close: async () => {
      const last = `${JSON.stringify(answers.report())}\n`;
      for (const socket of listening.connections) socket.end(last);
      await listening.close();
    },
  };
}

/** The report of a mount. */
export interface MountReport {
  readonly mountPoint: string;
  readonly source: string;
  readonly pid: number;
  /** When it was mounted, in milliseconds since the epoch. */
  readonly since: number;
  readonly cacheMode: string;
  /** It is about to end, and waits for uploads. */
  readonly isEnding: boolean;
  readonly state: ContentsState;
}

/** The requests to a mount. `unmount` ends it immediately, `drain-and-unmount` after pending uploads. */
type ControlWord = 'report' | 'unmount' | 'drain-and-unmount';

/** The directories for the control sockets of a user, best first. systemd services have no `XDG_RUNTIME_DIR`. */
export function controlFolders(
  flags: Partial<Pick<Flags, 'cache-dir'>>,
  env: NodeJS.ProcessEnv,
  uid = process.geteuid?.() ?? 0,
): readonly string[] {
  const { XDG_RUNTIME_DIR: xdg } = env;
  const base = uid === 0 ? '/run' : `/run/user/${uid}`;
  const runtime = [base, ...(xdg !== undefined && isAbsolute(xdg) ? [xdg] : [])];
  const folders = runtime.map((folder) => join(folder, 'syncer', 'mounts'));
  return [...new Set([...folders, join(cacheDir(env, flags['cache-dir']), 'mounts')])];
}

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
  const probed = table
    .filter(({ type, mountPoint }) => type === 'fuse.syncer' && !known.has(mountPoint))
    .map(async ({ mountPoint, source }): Promise<ListedMount> => {
      return { mountPoint, source, health: await probeMount(mountPoint, PROBE_MS) };
    });
  return [...told, ...(await Promise.all(probed))];
}

/**
 * All mounts that respond at sockets in these directories. Deletes sockets of ended processes, unless they are another
 * user's.
 *
 * @param uid the other user whose directories these are
 */
export async function askMounts(folders: readonly string[], uid?: number) {
  const found = folders.map(async (folder) => {
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => name.endsWith('.sock')).map((name) => join(folder, name));
  });
  const paths = (await Promise.all(found)).flat();
  const asked = paths.map(async (socketPath) => {
    if (uid !== undefined && !(await isFileOf(uid, socketPath, 'socket'))) return undefined;
    try {
      return { report: await askMount(socketPath, 'report', 2_000), socketPath };
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

/** A mount is in the kernel's table before its process listens: how long that may take, in milliseconds. */
const LISTEN_MS = 10_000;
/** How often `unmount --wait` looks for it in this time, in milliseconds. */
const LOOK_MS = 100;

/**
 * Unmounts; with `--wait` after pending uploads, and returns when the process has ended. Rejects if nothing is
 * mounted, if the mount is in use, and if uploads are left. One whose process does not respond is detached all the same:
 * the programs that wait for it would keep it in use.
 *
 * @param untilMs how long `--wait` waits for the process of the mount to listen, by `performance.now()`
 */
export async function endMountAt(
  path: string,
  flags: Pick<FlagsWith<typeof MOUNT_FLAGS>, 'unmount-wait' | 'cache-dir'>,
  env: NodeJS.ProcessEnv,
  emit: Emit,
  untilMs = performance.now() + LISTEN_MS,
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
    if (performance.now() < untilMs) {
      await sleep(LOOK_MS);
      return await endMountAt(path, flags, env, emit, untilMs);
    }
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
export function homeMount(mount: ListedMount): HomeMount {
  const { mountPoint, source, health, isEnding, state, since, user } = mount;
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
