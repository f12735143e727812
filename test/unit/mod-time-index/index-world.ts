import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPages } from '../../../src/core/list-dir.ts';
import type { ModTime } from '../../../src/core/mod-time.ts';
import { observed } from '../../../src/core/observed.ts';
import type { Entry, FileEntry, Op, Remote } from '../../../src/core/remote.ts';
import {
  ModTimeIndex,
  type ModTimeIndexOptions,
} from '../../../src/mod-time-index/mod-time-index.ts';
import { timeObserver } from '../../../src/mod-time-index/time-observer.ts';
import { type StoreRules, TestClock, TimedStore } from './timed-store.ts';

/** A signal that is never aborted. */
export const OP: Op = { signal: new AbortController().signal };

/** A run of a program: a remote with an index. */
export interface TestRun {
  readonly remote: Remote;
  readonly index: ModTimeIndex;
  readonly troubles: unknown[];
  /** Ends it as runs end. */
  end(): Promise<void>;
}

/** A store, and a folder for indexes of it. */
export interface IndexWorld {
  readonly store: TimedStore;
  readonly clock: TestClock;
  readonly folder: string;
  run(options?: Partial<ModTimeIndexOptions>, store?: Remote): TestRun;
  /** The names of the index's files. */
  files(): Promise<string[]>;
  remove(): Promise<void>;
}

/** Makes a world. A test removes it when it is done. */
export async function makeIndexWorld(rules: Partial<StoreRules> = {}): Promise<IndexWorld> {
  const base = await mkdtemp(join(tmpdir(), 'syncer-index-'));
  const folder = join(base, 'cache', 'mod-times');
  const clock = new TestClock();
  const store = new TimedStore({ listedMs: 1, pageSize: 3, latencyMs: 0, clock, ...rules });
  return {
    store,
    clock,
    folder,
    run(options = {}, inner = store.remote()) {
      const troubles: unknown[] = [];
      const onTrouble = (error: unknown) => troubles.push(error);
      const index = new ModTimeIndex({ folder, clock, onTrouble, ...options });
      const remote = observed(inner, [timeObserver(inner, () => index)], clock);
      const end = async () => {
        await remote.close();
        await index.close();
      };
      return { remote, index, troubles, end };
    },
    files: () => readdir(folder),
    remove: () => rm(base, { recursive: true, force: true }),
  };
}

/** Every file of a listing of the whole tree, or directory by directory. */
export async function listAll(remote: Remote, how: 'tree' | 'dirs' = 'dirs'): Promise<FileEntry[]> {
  const { listTreePage } = remote.can;
  const found: FileEntry[] = [];
  const read = async (page: (cursor: string | undefined) => ReturnType<Remote['listPage']>) => {
    const entries: Entry[] = [];
    for await (const some of readPages(page, () => {})) entries.push(...some);
    for (const entry of entries) {
      if (entry.kind === 'file') found.push(entry);
      else await read((cursor) => remote.listPage(entry.path, cursor, OP));
    }
  };
  if (how === 'tree') await read(async (cursor) => (await listTreePage?.('', cursor, OP)) ?? NONE);
  else await read((cursor) => remote.listPage('', cursor, OP));
  return found;
}

const NONE = { entries: [] };

/** `path` → modification time of all files: as listed, else asked for. */
export async function timesOf(
  remote: Remote,
  how: 'tree' | 'dirs' = 'dirs',
): Promise<Record<string, ModTime | undefined>> {
  const times: Record<string, ModTime | undefined> = {};
  for (const file of await listAll(remote, how)) {
    const detailed =
      file.modTime === undefined ? await remote.can.details?.read(file, OP) : undefined;
    times[file.path] = (detailed ?? file).modTime;
  }
  return times;
}

/** Writes a file through a remote. */
export async function write(
  remote: Remote,
  path: string,
  content: string,
  modTime: ModTime,
): Promise<void> {
  const body = Buffer.from(content);
  await remote.write(
    { path, size: body.length, modTime, seekable: true, open: async () => body },
    OP,
  );
}
