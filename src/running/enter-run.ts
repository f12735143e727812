import { rmSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type ListeningSocket, listenInFolder } from '../control/listen-in-folder.ts';
import { makeFolder } from '../files/make-folder.ts';
import { replaceText } from '../files/replace-text.ts';
import { formatRunEntry, type RunEntry } from './run-entry.ts';

/** A run in the list of running runs. */
export interface EnteredRun {
  /** Says more about it. */
  update(entry: RunEntry): Promise<void>;
  /** Takes it off the list. Never rejects. */
  leave(): Promise<void>;
}

/**
 * Puts a run on the list of running runs: a file and, beside it, a socket. Tries these directories in their order.
 * Resolves to `undefined` where none can be used: the run does not depend on it. A path that is too long for a socket
 * leaves the file alone.
 *
 * @param serve serves a connection to the socket; without it there is none
 */
export async function enterRun(
  folders: readonly string[],
  entry: RunEntry,
  serve?: (socket: Socket) => void,
): Promise<EnteredRun | undefined> {
  for (const folder of folders) {
    const path = join(folder, `${entry.id}.json`);
    const socketPath = join(folder, `${entry.id}.sock`);
    let socket: ListeningSocket | undefined;
    try {
      await makeFolder(folder, 0o700);
      if (!(await isPrivate(folder))) continue;
      // Before the file: a reader that finds the file finds the socket, too.
      socket =
        serve && (await listenInFolder([folder], `${entry.id}.sock`, serve).catch(() => undefined));
      await replaceText(path, formatRunEntry(entry));
    } catch {
      await socket?.close().catch(() => {});
      continue;
    }
    const atExit = () => {
      for (const file of [path, socketPath]) rmSync(file, { force: true });
    };
    process.on('exit', atExit);
    return {
      update: (next) => replaceText(path, formatRunEntry(next)).catch(() => {}),
      async leave() {
        process.off('exit', atExit);
        await rm(path, { force: true }).catch(() => {});
        await socket?.close().catch(() => {});
      },
    };
  }
  return undefined;
}

/** Whether no other user may use what is in a directory. */
async function isPrivate(folder: string): Promise<boolean> {
  const { uid, mode } = await stat(folder);
  return uid === (process.geteuid?.() ?? uid) && (mode & 0o077) === 0;
}
