import { lstat, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../core/context.ts';
import { isFileOf } from '../files/is-file-of.ts';
import { readRegularFile } from '../files/read-whole.ts';
import { isLeftText } from '../files/replace-text.ts';
import { type OwnerState, ownerState } from '../kit/owner-state.ts';
import { parseRunEntry, type RunEntry } from './run-entry.ts';

/** A run of the list, and where to reach it. */
export interface FoundRun {
  readonly entry: RunEntry;
  /** Its socket; nothing may listen there. */
  readonly socket: string;
}

/**
 * The runs that go on, the oldest first. Deletes the files of runs whose process is gone, unless they are another
 * user's.
 *
 * @param uid the other user whose directories these are
 */
export async function listEntries(
  folders: readonly string[],
  uid?: number,
): Promise<readonly FoundRun[]> {
  if (uid === undefined) await Promise.all(folders.map(deleteLeftovers));
  const found = (await Promise.all(folders.map((folder) => entriesIn(folder, uid)))).flat();
  const living = await Promise.all(
    found.map(async (run) => {
      const state = await stateOf(run);
      if (state === 'dead' && uid === undefined) await deleteFiles(run);
      return state === 'alive' ? run : undefined;
    }),
  );
  return living
    .filter((run) => run !== undefined)
    .toSorted((a, b) => (a.entry.id < b.entry.id ? -1 : 1));
}

/** The runs of this user whose process is gone, and whose files are left. */
export async function deadEntries(folders: readonly string[]): Promise<readonly FoundRun[]> {
  const found = (await Promise.all(folders.map((folder) => entriesIn(folder)))).flat();
  const states = await Promise.all(found.map(stateOf));
  return found.filter((_, at) => states[at] === 'dead');
}

async function entriesIn(folder: string, uid?: number): Promise<readonly FoundRun[]> {
  const names = await readdir(folder).catch(() => []);
  const found = names.map(async (name) => {
    if (!name.endsWith('.json')) return undefined;
    const path = join(folder, name);
    if (uid !== undefined && !(await isFileOf(uid, path, 'file'))) return undefined;
    const entry = parseRunEntry(await readRegularFile(path).then(String, () => ''));
    if (entry === undefined || name !== `${entry.id}.json`) return undefined;
    const socket = path.replace(/json$/, 'sock');
    if (uid !== undefined && !(await isFileOf(uid, socket, 'socket'))) return undefined;
    return { entry, socket };
  });
  return (await Promise.all(found)).filter((run) => run !== undefined);
}

/**
 * Whether its process lives: nothing listens at the socket of one that is gone, whichever process has its number now.
 */
async function stateOf({ entry, socket }: FoundRun): Promise<OwnerState> {
  const state = ownerState(entry.mark);
  const heard = await listensAt(socket);
  if (heard !== 'nothing' && state === 'alive') return 'alive';
  // In another container.
  if (heard === 'listens' && state === 'elsewhere') return 'alive';
  // Another machine may share the directory.
  return state === 'elsewhere' && entry.host !== hostname() ? 'elsewhere' : 'dead';
}

async function deleteFiles({ socket }: FoundRun): Promise<void> {
  for (const path of [socket, socket.replace(/sock$/, 'json')]) {
    await rm(path, { force: true }).catch(() => {});
  }
}

/** A socket without its entry may be that of a run that begins, for so long, in milliseconds. */
const BEGINNING_MS = 60_000;

/** Deletes temporary files of entries, and sockets without an entry, whose process was killed. */
async function deleteLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const all = new Set(names);
  for (const name of names) {
    const path = join(folder, name);
    const isAlone = name.endsWith('.sock') && !all.has(name.replace(/sock$/, 'json'));
    if (isLeftText(path) || (isAlone && (await isLeftSocket(path))))
      await rm(path, { force: true }).catch(() => {});
  }
}

async function isLeftSocket(path: string): Promise<boolean> {
  const { mtimeMs } = (await lstat(path).catch(() => undefined)) ?? {};
  if (mtimeMs === undefined || systemClock.now() - mtimeMs < BEGINNING_MS) return false;
  return (await listensAt(path)) !== 'listens';
}

/** `nothing`: the process that made the socket is gone. A path that is too long for a socket has none. */
function listensAt(path: string): Promise<'listens' | 'nothing' | 'no socket'> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve('listens');
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code === 'ECONNREFUSED' ? 'nothing' : 'no socket');
    });
  });
}
