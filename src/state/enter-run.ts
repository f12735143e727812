import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { listenInFolder } from '../system/listen-in-folder.ts';
import { putRun, type RunEntry } from './runs.ts';
import type { Stores } from './stores.ts';

/**
 * Puts a run on the list of running runs, without waiting for the list. Never rejects: what fails is a notice.
 *
 * @param folders for its socket, which is in the first of them that only this user may use; without one it has none
 * @param serve serves a connection to the socket; without it there is none
 */
export async function enterRun(
  stores: Stores,
  folders: readonly string[],
  run: RunEntry,
  serve?: (socket: Socket) => void,
) {
  const left = new AbortController();
  // Before its entry: a reader that finds the entry finds the socket, too.
  const listening = serve && listenInFolder(folders, `${run.id}.sock`, serve, true);
  const socket = await listening?.catch(() => undefined);
  const entry = { ...run, isListed: true, ...(socket && { socket: socket.path }) } as const;
  const put = (whole: RunEntry) =>
    stores.tryState(
      '"syncer ps" does not list this process',
      (database) => putRun(database, whole),
      left.signal,
    );
  const atExit = () => {
    if (socket !== undefined) rmSync(socket.path, { force: true });
  };
  process.on('exit', atExit);
  void put(entry);
  return {
    /** Its entry, with its socket. */
    entry,
    /** Aborted when the run has left: then nothing is added to its entry. */
    left: left.signal,
    /** Says more about it. Never rejects: the run does not depend on the list. */
    add: (more: Pick<RunEntry, 'places'>) => put({ ...entry, ...more }),
    /** Closes its socket. Its row stays, for its end or its deletion. Never rejects. */
    async leave() {
      left.abort();
      process.off('exit', atExit);
      await socket?.close().catch(() => {});
    },
  };
}
