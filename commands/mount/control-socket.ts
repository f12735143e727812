import { randomBytes } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import { cacheDir } from '../../src/config/config-path.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Flags } from '../../src/shell/flags/flag-table.ts';
import { listenInFolder } from '../../src/system/listen-in-folder.ts';
import type { ContentsState } from '../../src/vfs/contents/file-contents.ts';

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
export type ControlWord = 'report' | 'unmount' | 'drain-and-unmount';

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
