import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModTimeIndex, timeObserver } from '../../../../src/caches/times/mod-time-index.ts';
import type { ModTime } from '../../../../src/core/mod-time.ts';
import { observed } from '../../../../src/core/observed.ts';
import { once } from '../../../../src/core/once.ts';
import type { Entry, FileEntry, Op, Remote } from '../../../../src/core/remote.ts';
import { readPages } from '../../../../src/core/remote-calls.ts';
import type { CacheOptions } from '../../../../src/state/cache-access.ts';
import { Database } from '../../../../src/state/database.ts';
import { CACHE } from '../../../../src/state/schemas.ts';
import { Stores } from '../../../../src/state/stores.ts';
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
  run(options?: Partial<CacheOptions>, store?: Remote): Promise<TestRun>;
  /** The pages of the index: of which directory, and how many bytes of records. */
  pages(): Promise<{ directory: string; bytes: number }[]>;
  /** Has runs begin and end in less time: the database is there, and open until the world is removed. */
  prepare(): Promise<void>;
  /** Does something with the database of the index. */
  change(work: (database: Database) => void): Promise<void>;
  remove(): Promise<void>;
}

/** A database without rows: to copy it takes less time than to make one, which waits for the disk. */
const emptyDatabase = once(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'syncer-index-'));
  (await Database.open(folder, CACHE, () => {})).close();
  const bytes = await readFile(join(folder, CACHE.file));
  await rm(folder, { recursive: true });
  return bytes;
});

/** Makes a world. A test removes it when it is done. */
export async function makeIndexWorld(rules: Partial<StoreRules> = {}): Promise<IndexWorld> {
  const base = await mkdtemp(join(tmpdir(), 'syncer-index-'));
  const folder = join(base, 'cache');
  const clock = new TestClock();
  const store = new TimedStore({ listedMs: 1, pageSize: 3, latencyMs: 0, clock, ...rules });
  const change = async <T>(work: (database: Database) => T): Promise<T> => {
    const database = await Database.open(folder, CACHE, () => {});
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  let prepared: Database | undefined;
  return {
    store,
    clock,
    folder,
    async prepare() {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, CACHE.file), await emptyDatabase());
      prepared = await Database.open(folder, CACHE, () => {});
    },
    async run(options = {}, inner = store.remote()) {
      const troubles: unknown[] = [];
      const onTrouble = (error: unknown) => troubles.push(error);
      const stores = new Stores({ state: undefined, cache: folder }, () => {});
      const index = new ModTimeIndex({ stores, clock, onTrouble, ...options });
      await index.opened();
      const remote = observed(inner, [timeObserver(inner, index)], clock);
      const end = async () => {
        await remote.close();
        await index.close();
        await stores.close();
      };
      return { remote, index, troubles, end };
    },
    pages: () =>
      change((database) =>
        database
          .all('SELECT hex(directory) AS directory, length(records) AS bytes FROM times ORDER BY 1')
          .map(({ directory, bytes }) => ({ directory: String(directory), bytes: Number(bytes) })),
      ),
    change,
    async remove() {
      prepared?.close();
      await rm(base, { recursive: true, force: true });
    },
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
