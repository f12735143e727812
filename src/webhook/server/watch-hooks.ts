import { type FileHandle, stat, statfs } from 'node:fs/promises';
import { constants } from 'node:os';
import { type Clock, systemClock } from '../../core/context.ts';
import { goErrno } from '../../go/go-errno.ts';
import { loadLibc } from '../../system/libc.ts';
import { openRegularFile, readRegularFile } from '../../system/read-whole.ts';
import type { HookLog } from '../log/hook-log.ts';
import type { HookStore } from './hook-store.ts';

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
  await watchFiles(
    () => [...files, ...store.references],
    async (path) => {
      const what = isOfHooks.has(path) ? 'hooks file' : 'file that hooks refer to,';
      log.line(`${what} ${path} modified`);
      await store.reload(isOfHooks.has(path) ? [path] : store.filesThatReferTo(path));
    },
    (path, why) => {
      const what = isOfHooks.has(path) ? 'hooks file' : 'file that hooks refer to,';
      const kept = 'its hooks stay in use until it is back';
      store.report(`${what} ${path} ${why ? `cannot be read: ${why}` : 'removed'}; ${kept}`);
    },
    {
      isWritten: isBeingWritten,
      isValid: async (path, content) =>
        !isOfHooks.has(path) || (await isValid(Buffer.from(content, 'latin1'))),
    },
  );
}

/** How files are watched. */
export interface WatchOptions extends Pick<LookOptions, 'isWritten' | 'isValid'> {
  readonly clock?: Clock;
}

/**
 * Checks files by name at intervals, so that it does not matter whether they are written in place, replaced by a rename,
 * or reached through links that change. Calls `changed` when the content of a file is another and has settled, `gone`
 * when a file is missing or, with the reason, cannot be read. Resolves after the first check: later changes will be
 * seen.
 *
 * @param paths called before each check
 * @returns stops it
 */
export async function watchFiles(
  paths: () => readonly string[],
  changed: (path: string) => Promise<void>,
  gone: (path: string, why?: string) => void,
  { clock = systemClock, ...how }: WatchOptions = {},
): Promise<() => void> {
  const known = new Map<string, Seen>();
  const stop = new AbortController();
  const look = async () => {
    for (const path of paths()) {
      await lookAt(path, known, changed, gone, { ...how, now: clock.monotonic() });
    }
  };
  const lookOn = async () => {
    while (!stop.signal.aborted) {
      await clock.sleep(LOOK_INTERVAL_MS, stop.signal).then(look, () => {});
    }
  };
  await look();
  void lookOn();
  return () => stop.abort();
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
  fcntl ??= loadFcntl().catch(() => undefined);
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

async function loadFcntl() {
  const libc = await loadLibc();
  const fcntl = libc.func('fcntl', 'int', ['int', 'int', 'int']);
  return (fd: number, command: number, value: number) => {
    if (fcntl(fd, command, value) === 0) return false;
    return libc.errno() === constants.errno.EAGAIN ? true : undefined;
  };
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
  /** Whether a program has the file open for writing; `undefined`, also by default, if that is unknown. */
  readonly isWritten?: (path: string) => Promise<boolean | undefined>;
  /** Whether a content can be loaded; by default it can. */
  readonly isValid?: (path: string, content: string) => Promise<boolean>;
}

/** What decides how long a changed file has to be quiet. */
interface ChangedFile extends Pick<Seen, 'isMoved'> {
  readonly isWritten: boolean | undefined;
  /** It can be read and is not empty. */
  readonly isFilled: boolean;
  readonly isValid: boolean;
}

/** Milliseconds without a change until a changed file counts. */
function quietMs({ isMoved, isWritten, isFilled, isValid }: ChangedFile): number {
  if (isWritten) return OPEN_MS;
  if (isMoved && isFilled) return 0;
  return isWritten === false && isFilled && isValid ? CLOSED_MS : UNKNOWN_MS;
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
  const { now } = options;
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
  if (file !== '' && !(await isQuiet(path, before, now - before.changedAt, options))) return;
  const { content, why } = await contentOf(path);
  // It may have been changed, and closed, since this check began.
  if ((await stateOf(path)).stamp !== stamp) return;
  before.changedAt = undefined;
  if (content === before.content) return;
  before.content = content;
  if (content === undefined) gone(path, why);
  else await changed(path);
}

async function isQuiet(
  path: string,
  { isMoved }: Seen,
  ms: number,
  { isWritten = async () => undefined, isValid = async () => true }: LookOptions,
): Promise<boolean> {
  // What is certain without opening the file.
  if (ms < CLOSED_MS && !isMoved) return false;
  const { content = '' } = await contentOf(path);
  const isFilled = content.trim() !== '';
  const file = { isMoved, isWritten: await isWritten(path), isFilled, isValid: true };
  // The content is only taken apart where that decides.
  if (ms >= quietMs({ ...file, isValid: false })) return true;
  return ms >= quietMs(file) && (await isValid(path, content));
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

/** File systems that only this machine writes to. */
const LOCAL: ReadonlySet<number> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1],
  ...[0x858458f6, 0xca451a4e, 0x2011bab0, 0x4d44, 0x73717368],
]);

/** Whether only this machine can change what is there. */
async function isLocalAt(path: string): Promise<boolean> {
  return await statfs(path).then(
    ({ type }) => LOCAL.has(type),
    () => false,
  );
}
