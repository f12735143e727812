import { existsSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname, uptime } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { stateDir } from '../../config/config-path.ts';
import type { OtherUser } from '../../config/other-users.ts';
import { systemClock } from '../../core/context.ts';
import { isRunId } from '../../core/run-id.ts';
import { rowsOfUser } from '../../state/database.ts';
import { dropRun, entryOf, listedRuns, type RunEntry } from '../../state/runs.ts';
import type { Stores } from '../../state/stores.ts';
import { isFileOf } from '../../system/is-file-of.ts';
import { type OwnerState, ownerState } from '../../system/owner-state.ts';

/** The list of running runs of this user. */
export interface RunList {
  readonly stores: Stores;
  readonly env: NodeJS.ProcessEnv;
}

/** The runs that go on, the oldest first. Takes those of ended processes off the list. Rejects as `Stores.state`. */
export async function listEntries(list: RunList): Promise<readonly RunEntry[]> {
  const { found, states } = await foundEntries(list);
  const sockets = new Set(found.map(({ socket }) => socket));
  await Promise.all(runFolders(list.env).map((folder) => deleteLeftovers(folder, sockets)));
  await dropDead(
    list,
    found.filter((_, at) => states[at] === 'dead'),
  );
  return found.filter((_, at) => states[at] === 'alive');
}

/** The runs of the list whose process is gone. */
export async function deadEntries(list: RunList): Promise<readonly RunEntry[]> {
  const { found, states } = await foundEntries(list);
  return found.filter((_, at) => states[at] === 'dead');
}

/** The runs of another user that go on, the oldest first; none where they cannot be read. */
export async function entriesOf({ uid, env }: OtherUser): Promise<readonly RunEntry[]> {
  const living: RunEntry[] = [];
  for (const entry of writtenBy(uid, join(stateDir(env) ?? '', 'state.db'))) {
    const { socket } = entry;
    if (socket !== undefined && !(await isFileOf(uid, socket, 'socket'))) continue;
    if ((await stateOf(entry)) === 'alive') living.push(entry);
  }
  return living.toSorted(byAge);
}

const byAge = (a: RunEntry, b: RunEntry) => (a.id < b.id ? -1 : 1);

async function foundEntries({ stores }: RunList) {
  const found = (await stores.look([], listedRuns)).toSorted(byAge);
  return { found, states: await Promise.all(found.map(stateOf)) };
}

/** The entries that another user may have written as they like. */
function writtenBy(uid: number, path: string): readonly RunEntry[] {
  try {
    return rowsOfUser(uid, path, 'runs').flatMap((row) => {
      if (row['ended_ms'] !== null || row['is_listed'] !== 1) return [];
      const entry = entryOf(row);
      const { id, pid, words } = entry;
      const hasWords = Array.isArray(words) && words.every((word) => typeof word === 'string');
      return hasWords && isRunId(id) && Number.isSafeInteger(pid) ? [entry] : [];
    });
  } catch {
    return [];
  }
}

/** Whether its process lives: nothing listens at its socket if it is gone, whichever process has its number now. */
async function stateOf({ mark, host, socket, startedMs }: RunEntry): Promise<OwnerState> {
  const state = ownerState(mark);
  const heard = socket === undefined ? 'no socket' : await listensAt(socket);
  if (heard !== 'nothing' && state === 'alive') return 'alive';
  // In another container.
  if (heard === 'listens' && state === 'elsewhere') return 'alive';
  if (state !== 'elsewhere') return 'dead';
  // Another machine may share the directory, and a container have its sockets elsewhere.
  const isHere = host === hostname();
  const isOfThisBoot = startedMs > systemClock.now() - 1000 * uptime();
  return isHere && (heard === 'nothing' || !isOfThisBoot) ? 'dead' : 'elsewhere';
}

/** Takes runs off the list. Those with a journal stay in the history. */
async function dropDead({ stores, env }: RunList, dead: readonly RunEntry[]): Promise<void> {
  if (dead.length === 0) return;
  const folder = join(stateDir(env) ?? '', 'runs');
  for (const { socket } of dead) {
    if (socket !== undefined) await rm(socket, { force: true }).catch(() => {});
  }
  const database = await stores.state();
  try {
    database.writeNow(() => {
      for (const { id } of dead) dropRun(database, id, existsSync(join(folder, id)));
    });
  } catch {
    // Another process writes; a later look takes them off.
  }
}

/** Deletes sockets of killed processes that have no entry. */
async function deleteLeftovers(
  folder: string,
  known: ReadonlySet<string | undefined>,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (!name.endsWith('.sock') || known.has(path)) continue;
    const { mtimeMs } = (await lstat(path).catch(() => undefined)) ?? {};
    // A young one may be that of a run that begins.
    if (mtimeMs === undefined || systemClock.now() - mtimeMs < 60_000) continue;
    if ((await listensAt(path)) === 'listens') continue;
    await rm(path, { force: true }).catch(() => {});
  }
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

const NAME = 'running';

/** Where a run may put its socket, best first: below `XDG_RUNTIME_DIR`, in the state directory. */
export function ownRunFolders(env: NodeJS.ProcessEnv): readonly string[] {
  const state = stateDir(env);
  const inState = state === undefined ? [] : [join(state, NAME)];
  return hasRuntime(env) ? [join(env.XDG_RUNTIME_DIR, 'syncer', NAME), ...inState] : inState;
}

/** Where sockets may be left. What cron starts has no `XDG_RUNTIME_DIR`, but sessions of the same user have. */
export function runFolders(env: NodeJS.ProcessEnv): readonly string[] {
  if (hasRuntime(env)) return ownRunFolders(env);
  const ofSession = join('/run/user', String(process.geteuid?.() ?? 0), 'syncer', NAME);
  return [...ownRunFolders(env), ofSession];
}

function hasRuntime(env: NodeJS.ProcessEnv): env is { readonly XDG_RUNTIME_DIR: string } {
  return isAbsolute(env['XDG_RUNTIME_DIR'] ?? '');
}
