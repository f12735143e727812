import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readRegularFile } from '../files/read-whole.ts';
import { ownerState } from '../kit/owner-state.ts';
import { RunClient } from './run-client.ts';
import { parseRunEntry, type RunEntry } from './run-entry.ts';

/** A run of the list, and where to reach it. */
export interface FoundRun {
  readonly entry: RunEntry;
  /** Its socket; nothing may listen there. */
  readonly socket: string;
}

/** The runs that go on, the oldest first. Deletes the files of runs whose process is gone. */
export async function listEntries(folders: readonly string[]): Promise<readonly FoundRun[]> {
  const found = (await Promise.all(folders.map(entriesIn))).flat();
  const living = await Promise.all(
    found.map(async (run) => ((await lives(run)) ? run : undefined)),
  );
  return living
    .filter((run) => run !== undefined)
    .toSorted((a, b) => (a.entry.id < b.entry.id ? -1 : 1));
}

async function entriesIn(folder: string): Promise<readonly FoundRun[]> {
  const names = await readdir(folder).catch(() => []);
  const found = names.map(async (name) => {
    if (!name.endsWith('.json')) return undefined;
    const path = join(folder, name);
    const entry = parseRunEntry(await readRegularFile(path).then(String, () => ''));
    if (entry === undefined || name !== `${entry.id}.json`) return undefined;
    return { entry, socket: path.replace(/json$/, 'sock') };
  });
  return (await Promise.all(found)).filter((run) => run !== undefined);
}

/** Deletes the files of a process that is gone. One of another container lives where its socket answers. */
async function lives({ entry, socket }: FoundRun): Promise<boolean> {
  const state = ownerState(entry.mark);
  if (state === 'alive') return true;
  if (state === 'elsewhere') {
    const client = await RunClient.open(entry.id, socket).catch(() => undefined);
    client?.close();
    if (client !== undefined) return true;
    // Another machine may share the directory.
    if (entry.host !== hostname()) return false;
  }
  for (const path of [socket, socket.replace(/sock$/, 'json')]) {
    await rm(path, { force: true }).catch(() => {});
  }
  return false;
}
