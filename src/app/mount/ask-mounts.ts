import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ControlWord, MountReport } from './mount-report.ts';

/** How long a mount has to answer, in milliseconds. */
const ANSWER_MS = 2_000;

/** A mount that answered, with the socket it did so by. */
export interface AskedMount {
  readonly report: MountReport;
  readonly socketPath: string;
}

/** All mounts whose sockets lie in these folders. Sockets of processes that are gone are removed. */
export async function askMounts(folders: readonly string[]): Promise<readonly AskedMount[]> {
  const paths = (await Promise.all(folders.map(socketsIn))).flat();
  const asked = await Promise.all(paths.map(askForReport));
  return asked.filter((mount) => mount !== undefined);
}

/**
 * Tells a mount to end. Resolves to the last it tells of itself, when its process has closed the connection, which it
 * does at its end.
 */
export function endMount(socketPath: string, word: ControlWord): Promise<MountReport> {
  return converse(socketPath, word);
}

async function socketsIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => name.endsWith('.sock')).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

async function askForReport(socketPath: string): Promise<AskedMount | undefined> {
  try {
    return { report: await converse(socketPath, 'report', ANSWER_MS), socketPath };
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED') await rm(socketPath, { force: true });
    return undefined;
  }
}

/** Writes a word; resolves to the last report that comes before the other side closes. */
function converse(socketPath: string, word: ControlWord, limitMs = 0): Promise<MountReport> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(socketPath, () => socket.write(word));
    socket.setEncoding('utf8');
    socket.setTimeout(limitMs, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      try {
        resolve(JSON.parse(text.trim().split('\n').at(-1) ?? '') as MountReport);
      } catch (thrown) {
        reject(thrown);
      }
    });
  });
}
