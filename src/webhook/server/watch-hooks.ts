import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, lstat, readlink, stat, statfs } from 'node:fs/promises';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../core/context.ts';
import { goErrno } from '../../go/go-texts.ts';
import { loadLibc } from '../../system/libc.ts';
import { openRegularFile, readRegularFile } from '../../system/read-whole.ts';
import type { HookLog } from '../log/hook-log.ts';
import type { HookStore } from './hook-store.ts';

/** Milliseconds between checks while all changes are reported, in case one is not. */
const RARE_INTERVAL_MS = 1000;
/** Milliseconds from an event to a check, and how many follow one another to see that a file has settled. */
const SOON_MS = 25;
const SOON_LOOKS = 8;

/**
 * Reads files of hooks again when they change, or a file that they refer to. Resolves when nothing can be missed.
 *
 * @param isValid whether the content of a hook file can be loaded
 */
export async function watchHooks(
  paths: readonly string[],
  store: HookStore,
  log: HookLog,
  isValid: (content: Buffer) => Promise<boolean>,
): Promise<void> {
  const files = paths.filter((path) => path !== '');
  const isOfHooks = new Set(files);
  const nameOf = (path: string) =>
    `${isOfHooks.has(path) ? 'hooks file' : 'file that hooks refer to,'} ${path}`;
  await watchFiles(
    () => [...files, ...store.references],
    async (path) => {
      log.line(`${nameOf(path)} modified`);
      await store.reload(isOfHooks.has(path) ? [path] : store.filesThatReferTo(path));
    },
    (path, why) => {
      const kept = 'its hooks stay in use until it is back';
      store.report(`${nameOf(path)} ${why ? `cannot be read: ${why}` : 'removed'}; ${kept}`);
    },
    {
      isWritten: isBeingWritten,
      isValid: async (path, content) =>
        !isOfHooks.has(path) || (await isValid(Buffer.from(content, 'latin1'))),
    },
  );
}

/**
 * Checks files by name, when the kernel reports a change on the way to them and at intervals, so that it does not matter
 * whether they are written in place, replaced by a rename, or reached through links that change. Calls `changed` when
 * the content of a file is another and has settled, `gone` when a file is missing or, with the reason, cannot be read.
 * Resolves after the first check: later changes will be seen.
 *
 * @param paths called before each check
 * @returns stops it
 */
export async function watchFiles(
  paths: () => readonly string[],
  changed: (path: string) => Promise<void>,
  gone: (path: string, why?: string) => void,
  {
    clock = systemClock,
    ...how
  }: Pick<LookOptions, 'isWritten' | 'isValid'> & { readonly clock?: Clock } = {},
): Promise<() => void> {
  const known = new Map<string, Seen>();
  let isStopped = false;
  let soonLooks = 0;
  let wake = () => {};
  const places = watchPlaces(() => {
    soonLooks = SOON_LOOKS;
    wake();
  });
  /** Gives the milliseconds until the next check without an event. */
  const look = async (isTick: boolean): Promise<number> => {
    const all = paths();
    // First: what changes during the check is reported again.
    const watched = await places.follow(all);
    for (const path of all) {
      await lookAt(path, known, changed, gone, { ...how, isTick, now: clock.monotonic() });
    }
    if (watched === 'new') soonLooks ||= 1;
    const changes = all.flatMap((path) => known.get(path)?.changedAt ?? []);
    const waits = changes.map((at) => at + CLOSED_MS - clock.monotonic()).filter((ms) => ms > 0);
    const isSettled = watched !== 'part' && changes.length === 0;
    return Math.min(isSettled ? RARE_INTERVAL_MS : LOOK_INTERVAL_MS, ...waits);
  };
  /** Resolves after the time, or, if it is long, at an event. */
  const pause = async (ms: number, isLong: boolean) => {
    const event = new AbortController();
    wake = () => (isLong || isStopped) && event.abort();
    await clock.sleep(ms, event.signal).catch(() => {});
  };
  const lookOn = async (firstMs: number) => {
    let tickAt = clock.monotonic() + firstMs;
    while (!isStopped) {
      const isSoon = soonLooks > 0;
      const leftMs = Math.max(0, tickAt - clock.monotonic());
      await pause(isSoon ? Math.min(SOON_MS, leftMs) : leftMs, !isSoon);
      const isTick = clock.monotonic() >= tickAt;
      if (isStopped || (!isSoon && !isTick)) continue;
      if (isSoon) soonLooks--;
      const nextMs = await look(isTick);
      const nextAt = clock.monotonic() + nextMs;
      tickAt = isTick ? nextAt : Math.min(tickAt, nextAt);
    }
    places.close();
  };
  void lookOn(await look(true));
  return () => {
    isStopped = true;
    wake();
  };
}

/** Commands of fcntl(2) on Linux. */
const F_SETSIG = 10;
const F_SETLEASE = 1024;
const F_RDLCK = 0;
/** Is ignored by default: of a program that opens the file during the question. */
const SIGURG = 23;

let fcntl: Promise<
  ((fd: number, command: number, value: number) => boolean | undefined) | undefined
>;

/**
 * Whether any program has a file open for writing. A lease on the file answers that, which its owner and root can take;
 * `undefined` if this cannot be said, as on network file systems, where other machines write.
 */
export async function isBeingWritten(path: string): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return undefined;
  fcntl ??= loadLibc()
    .then((libc) => {
      const call = libc.func('fcntl', 'int', ['int', 'int', 'int']);
      return (fd: number, command: number, value: number) => {
        if (call(fd, command, value) === 0) return false;
        return libc.errno() === constants.errno.EAGAIN ? true : undefined;
      };
    })
    .catch(() => undefined);
  const call = await fcntl;
  if (call === undefined || !(await isLocalAt(path))) return undefined;
  let file: FileHandle;
  try {
    file = await openRegularFile(path);
  } catch {
    return undefined;
  }
  try {
    if (call(file.fd, F_SETSIG, SIGURG) === undefined) return undefined;
    return call(file.fd, F_SETLEASE, F_RDLCK);
  } finally {
    // Gives the lease back.
    await file.close();
  }
}

/** Milliseconds between checks. */
export const LOOK_INTERVAL_MS = 200;
/** Milliseconds without a change until a file counts: if it is closed and can be loaded, for one writer may open it twice. */
const CLOSED_MS = 150;
/** … if it is unknown whether a program is writing it, or it is empty or invalid. */
const UNKNOWN_MS = 1000;
/** … if a program has it open for writing. Some never close it. */
const OPEN_MS = 10_000;

/** State and content of a file when it was last checked. */
export interface Seen {
  /** Which file it is; empty where there is none. */
  file: string;
  stamp: string;
  content: string | undefined;
  /** A rename or a link put a file there that was not changed for a while. */
  isMoved: boolean;
  /** When a change was seen that does not count yet; `undefined`: it has settled. */
  changedAt: number | undefined;
}

/** What a check does besides looking. */
export interface LookOptions {
  /** The time on a clock that never goes back. */
  readonly now: number;
  /** It is one of those that come at intervals, and not one after an event. */
  readonly isTick?: boolean;
  /** Whether a program has the file open for writing; `undefined`, also by default, if that is unknown. */
  readonly isWritten?: (path: string) => Promise<boolean | undefined>;
  /** Whether a content can be loaded; by default it can. */
  readonly isValid?: (path: string, content: string) => Promise<boolean>;
}

/**
 * Checks one file: remembers its state in `known`, and reports a content that is another and has settled.
 *
 * @param gone is called with why the file cannot be read; without that it is not there
 */
export async function lookAt(
  path: string,
  known: Map<string, Seen>,
  changed: (path: string) => Promise<void>,
  gone: (path: string, why?: string) => void,
  options: LookOptions,
): Promise<void> {
  const { now, isTick = true } = options;
  const { file, stamp, isOld } = await stateOf(path);
  const before = known.get(path);
  if (before === undefined) {
    const { content } = await contentOf(path);
    known.set(path, { file, stamp, content, isMoved: false, changedAt: undefined });
    return;
  }
  if (before.stamp !== stamp) {
    // A rename or a link can put a file there that is still being written.
    const isMoved = file !== '' && before.file !== file && isOld;
    Object.assign(before, { file, stamp, isMoved, changedAt: now });
    return;
  }
  if (before.changedAt === undefined) return;
  const isSettled =
    file === '' ? isTick : await isQuiet(path, before, now - before.changedAt, options);
  if (!isSettled) return;
  const { content, why } = await contentOf(path);
  // It may have been changed, and closed, since this check began.
  if ((await stateOf(path)).stamp !== stamp) return;
  before.changedAt = undefined;
  if (content === before.content) return;
  before.content = content;
  if (content === undefined) gone(path, why);
  else await changed(path);
}

/** Whether a changed file has been without a change for long enough to count. */
async function isQuiet(
  path: string,
  { isMoved }: Seen,
  ms: number,
  { isWritten = async () => undefined, isValid = async () => true }: LookOptions,
): Promise<boolean> {
  // What is certain without opening the file.
  if (ms < CLOSED_MS && !isMoved) return false;
  const isOpen = await isWritten(path);
  if (isOpen === true) return ms >= OPEN_MS;
  if (ms >= UNKNOWN_MS) return true;
  const { content = '' } = await contentOf(path);
  if (content.trim() === '') return false;
  return isMoved || (isOpen === false && (await isValid(path, content)));
}

async function stateOf(path: string): Promise<Pick<Seen, 'file' | 'stamp'> & { isOld: boolean }> {
  try {
    const { dev, ino, size, mtimeMs, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    const file = [dev, ino].join();
    const isOld = Date.now() - Number(mtimeMs) > UNKNOWN_MS;
    return { file, stamp: [file, size, mtimeNs, ctimeNs].join(), isOld };
  } catch (thrown) {
    return { file: '', stamp: String((thrown as NodeJS.ErrnoException).code), isOld: false };
  }
}

async function contentOf(path: string): Promise<{ content?: string; why?: string }> {
  try {
    return { content: (await readRegularFile(path)).toString('latin1') };
  } catch (thrown) {
    const isMissing = (thrown as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? {} : { why: goErrno(thrown) };
  }
}

/** Types of file systems whose changes the kernel of this machine makes itself: only these report every change. */
const LOCAL: ReadonlySet<number> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1],
  ...[0x858458f6, 0xca451a4e, 0x2011bab0, 0x4d44, 0x73717368],
]);

/** As many links follow one another in the kernel. */
const MOST_LINKS = 40;

/** A directory or a file whose changes may change what a path leads to. */
interface WatchPlace {
  /** With the inode, so that what replaces it is watched, too. */
  readonly key: string;
  readonly path: string;
  /** The entry that matters in a directory. */
  readonly name?: string;
}

/**
 * Calls `onChange` when something changes that paths lead to: the files, the directories on the way, and the links, by
 * what the kernel reports.
 */
function watchPlaces(onChange: () => void) {
  const watchers = new Map<string, FSWatcher>();
  /** The entries that matter, by directory. */
  let names = new Map<string, Set<string>>();
  const drop = (key: string) => {
    watchers.get(key)?.close();
    watchers.delete(key);
  };
  return {
    /**
     * Watches what these paths lead to now, and nothing else. Resolves to `all` if no change can be missed, `new` if so
     * and something is watched only now, `part` if some changes can only be found by looking.
     */
    async follow(paths: readonly string[]): Promise<'all' | 'new' | 'part'> {
      const ways = await Promise.all(paths.map(wayTo));
      const places = new Map(ways.flatMap((way) => way.places.map((place) => [place.key, place])));
      names = new Map();
      for (const { key, name } of ways.flatMap((way) => way.places)) {
        if (name !== undefined) names.set(key, (names.get(key) ?? new Set()).add(name));
      }
      for (const key of watchers.keys()) if (!places.has(key)) drop(key);
      const added = [...places.values()].filter(({ key }) => !watchers.has(key));
      let missesSome = false;
      for (const { key, path, name } of added) {
        try {
          const watcher = watch(path, { persistent: false }, (_, changed) => {
            const isOther = name !== undefined && changed !== null;
            if (!isOther || names.get(key)?.has(changed)) onChange();
          });
          watcher.on('error', () => {
            drop(key);
            onChange();
          });
          watchers.set(key, watcher);
        } catch {
          missesSome = true;
        }
      }
      if (missesSome || ways.some(({ isLocal }) => !isLocal)) return 'part';
      return added.length > 0 ? 'new' : 'all';
    },
    close(): void {
      for (const key of watchers.keys()) drop(key);
    },
  };
}

/** What is on the way to a file, through links. */
async function wayTo(path: string): Promise<{ places: WatchPlace[]; isLocal: boolean }> {
  const places: WatchPlace[] = [];
  let isLocal = true;
  let links = 0;
  const parts = partsOf(resolve(path));
  let folder = '/';
  for (let name = parts.shift(); name !== undefined; name = parts.shift()) {
    const target = join(folder, name);
    const place = await placeOf(folder).catch(() => undefined);
    if (place === undefined) return { places, isLocal: false };
    const link = await readlink(target).catch(() => undefined);
    const isOnTheWay = link === undefined && parts.length > 0;
    if (!isOnTheWay || !place.isBusy) places.push({ key: place.key, path: folder, name });
    if (link !== undefined) {
      if (++links > MOST_LINKS) return { places, isLocal: false };
      parts.unshift(...partsOf(resolve(folder, link)));
      folder = '/';
      continue;
    }
    if (isOnTheWay) {
      folder = target;
      continue;
    }
    const file = await placeOf(target).catch(() => undefined);
    if (file !== undefined) places.push({ key: file.key, path: target });
    isLocal = await isLocalAt(file === undefined ? folder : target);
    // What is mounted there can be exchanged without an event.
    if (file !== undefined && file.device !== place.device) isLocal = false;
  }
  return { places, isLocal };
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '');

/** `isBusy`: a directory for everybody, such as /tmp, where only the owner of an entry can exchange it. */
async function placeOf(path: string): Promise<{ key: string; device: number; isBusy: boolean }> {
  const { dev, ino, mode } = await lstat(path);
  return { key: [path, dev, ino].join(), device: dev, isBusy: (mode & 0o1002) === 0o1002 };
}

/** Whether only this machine can change what is there. */
async function isLocalAt(path: string): Promise<boolean> {
  return await statfs(path).then(
    ({ type }) => LOCAL.has(type),
    () => false,
  );
}
